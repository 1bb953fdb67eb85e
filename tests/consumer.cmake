# Installs the build tree into a scratch prefix, then configures, builds and runs the consumer
# against it: proof that cmake --install and find_package(stkr CONFIG) work.
# Called with -DBUILD_DIR=... -DSOURCE_DIR=... -DSCRATCH=... -DGENERATOR=...
file(REMOVE_RECURSE ${SCRATCH})
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN} failed (${status}):\n${output}")
  endif()
endfunction()
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${SCRATCH}/prefix)
file(GLOB_RECURSE python_files ${SCRATCH}/prefix/*.py ${SCRATCH}/prefix/_core*)
if(python_files)
  message(FATAL_ERROR "Python files belong into wheels only, found ${python_files}")
endif()
run(${CMAKE_COMMAND} -S ${SOURCE_DIR} -B ${SCRATCH}/build -G ${GENERATOR}
    -DCMAKE_PREFIX_PATH=${SCRATCH}/prefix)
run(${CMAKE_COMMAND} --build ${SCRATCH}/build)
run(${SCRATCH}/build/consumer)
run(${SCRATCH}/prefix/bin/stkr --version)
