# Which builds of PETSc the configuration accepts.
# Usage: cmake -DSOURCE_DIR=... -DFOLDER=... -P configure_test.cmake, where FOLDER may be overwritten.
if(CHECKED)
  include(${SOURCE_DIR}/cmake/StkrPetsc.cmake)
  stkr_check_petsc(problem ${CHECKED})
  if(problem)
    message(FATAL_ERROR "${problem}")
  endif()
  return()
endif()

# expect(EXPECTED LINE...): configures with a petscconf.h of these lines; the message, or "" for success.
function(expect expected)
  file(REMOVE_RECURSE ${FOLDER})
  file(MAKE_DIRECTORY ${FOLDER})
  if(ARGN)
    list(JOIN ARGN "\n" lines)
    file(WRITE ${FOLDER}/petscconf.h "${lines}\n")
  endif()
  execute_process(COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${SOURCE_DIR} -DCHECKED=${FOLDER}
                          -P ${SOURCE_DIR}/backends/petsc/configure_test.cmake
                  RESULT_VARIABLE code ERROR_VARIABLE message)
  string(REGEX REPLACE "[ \n]+" " " message "${message}")
  if(expected STREQUAL "" AND NOT code EQUAL 0)
    message(SEND_ERROR "${ARGN}: ${message}")
  elseif(NOT expected STREQUAL "" AND (code EQUAL 0 OR NOT message MATCHES "${expected}"))
    message(SEND_ERROR "${ARGN}: expected '${expected}', found '${message}'")
  endif()
endfunction()

set(double "#define PETSC_USE_REAL_DOUBLE 1")
set(wide "#define PETSC_USE_64BIT_INDICES 1")
expect("" ${double} ${wide})
expect("no petscconf.h in")
expect("was built with complex numbers \\(" ${double} ${wide} "#define PETSC_USE_COMPLEX 1")
expect("was built with 32-bit indices .*--with-64-bit-indices" ${double} "/* #undef PETSC_USE_64BIT_INDICES */")
expect("not in double precision \\(" ${wide} "#define PETSC_USE_REAL_SINGLE 1")
expect("complex numbers and 32-bit indices" ${double} "#define PETSC_USE_COMPLEX 1")
