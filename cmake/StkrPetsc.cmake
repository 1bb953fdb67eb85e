# stkr_check_petsc(INCLUDE_DIR...): ends with a message unless PETSc's petscconf.h, in one of the
# folders, is that of a PETSc that the engine can use.
function(stkr_check_petsc)
  find_file(conf petscconf.h PATHS ${ARGN} NO_DEFAULT_PATH NO_CACHE)
  if(NOT conf)
    message(FATAL_ERROR "PETSc: no petscconf.h in ${ARGN}; install PETSc's headers (Debian: petsc64-dev)")
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
  if(problems)
    list(JOIN problems " and " problems)
    message(FATAL_ERROR
      "PETSc was built with ${problems} (${conf}); stkr needs one for real numbers in double precision "
      "with 64-bit indices: install petsc64-dev and slepc64-dev (Debian), or configure PETSc with "
      "--with-scalar-type=real --with-precision=double --with-64-bit-indices and let PKG_CONFIG_PATH "
      "name it")
  endif()
endfunction()
