# stkr_check_petsc(PROBLEM INCLUDE_DIR...): why the engine cannot use the PETSc whose petscconf.h is in one of
# the folders; empty if it can.
function(stkr_check_petsc problem)
  find_file(conf petscconf.h PATHS ${ARGN} NO_DEFAULT_PATH NO_CACHE)
  if(NOT conf)
    set(${problem} "PETSc: no petscconf.h in ${ARGN}; install PETSc's headers (Debian: petsc64-dev)" PARENT_SCOPE)
    return()
  endif()
  file(STRINGS ${conf} lines REGEX "^#define PETSC_USE_(COMPLEX|64BIT_INDICES|REAL_DOUBLE)[ \t]+1")
  set(problems "")
  if(lines MATCHES "PETSC_USE_COMPLEX")
    list(APPEND problems "complex numbers")
  endif()
  if(NOT lines MATCHES "PETSC_USE_REAL_DOUBLE")
    list(APPEND problems "numbers that are not in double precision")
  endif()
  if(NOT lines MATCHES "PETSC_USE_64BIT_INDICES")
    list(APPEND problems "32-bit indices")
  endif()
  set(${problem} "" PARENT_SCOPE)
  if(problems)
    list(JOIN problems " and " problems)
    string(CONCAT text
      "PETSc was built with ${problems} (${conf}); stkr needs one for real numbers in double precision "
      "with 64-bit indices: install petsc64-dev and slepc64-dev (Debian), or configure PETSc with "
      "--with-scalar-type=real --with-precision=double --with-64-bit-indices and let PKG_CONFIG_PATH "
      "name it")
    set(${problem} ${text} PARENT_SCOPE)
  endif()
endfunction()
