# Finds pybind11 and the Python that the package is built for: -DPython_EXECUTABLE=..., or the first
# python3 on the PATH that has all modules the package imports. (A version manager's bare interpreter
# often precedes the system's on the PATH.)

set(stkr_python_hint
    "On Debian: apt-get install python3-dev pybind11-dev python3-numpy python3-scipy \
python3-sklearn python3-pytest. -DPython_EXECUTABLE=... selects another Python; \
-DSTKR_BUILD_PYTHON=OFF builds without the package.")

set(stkr_python_imports numpy scipy sklearn)
if(STKR_BUILD_TESTS)
  list(APPEND stkr_python_imports pytest)
endif()

function(stkr_python_is_usable result python)
  set(program "import sys; from importlib.util import find_spec; \
sys.exit(sys.version_info < (3, 11) or not all(map(find_spec, sys.argv[1:])))")
  execute_process(COMMAND ${python} -c "${program}" ${stkr_python_imports}
                  RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  if(NOT status EQUAL 0)
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()

find_program(Python_EXECUTABLE NAMES python3 VALIDATOR stkr_python_is_usable
             DOC "The Python that the package is built for")
if(NOT Python_EXECUTABLE)
  list(JOIN stkr_python_imports ", " imports)
  message(FATAL_ERROR "No python3 on the PATH is 3.11 or newer and has ${imports}. "
                      "${stkr_python_hint}")
endif()

find_package(Python 3.11 COMPONENTS Interpreter Development.Module)
if(NOT Python_FOUND)
  message(FATAL_ERROR "${Python_EXECUTABLE} is older than 3.11 or has no header files. "
                      "${stkr_python_hint}")
endif()
find_package(pybind11 2.10 CONFIG)
if(NOT pybind11_FOUND)
  message(FATAL_ERROR "pybind11 2.10 or newer was not found. ${stkr_python_hint}")
endif()
