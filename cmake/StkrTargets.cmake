# Functions that compile, test and benchmark the targets of stkr.

# Hardens a target, because stkr reads untrusted files: a memory error ends the process instead of
# being exploitable. tests/hardening.sh checks the binaries for it.
function(stkr_harden target)
  target_compile_definitions(${target} PRIVATE _GLIBCXX_ASSERTIONS)
  if(STKR_SANITIZE)
    return() # sanitizers detect more, and fortified functions would hide errors from them
  endif()
  target_compile_options(${target} PRIVATE -fstack-protector-strong)
  # Fortified functions need optimization. Some compilers define the macro by default, to another value.
  target_compile_options(
    ${target} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE>
                      $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
  target_link_options(${target} PRIVATE -Wl,-z,relro,-z,now)
endfunction()

# Compiles up to twenty sources of a folder as one, so that templates are instantiated once for all of them:
# about half of the compile time. Names in anonymous namespaces then have to differ within a folder.
function(stkr_join_sources target)
  if(STKR_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    # In a joined source an anonymous namespace looks as if it were in a header.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
    # When all sources are known. EVAL, because deferred arguments are expanded only then.
    cmake_language(EVAL CODE "cmake_language(DEFER DIRECTORY [[${PROJECT_SOURCE_DIR}]]
                              CALL stkr_group_sources [[${target}]])")
  endif()
endfunction()

# Groups by folder and position, not CMake's batches: those count the precompiled header, so that presets
# with and without one would join different sources.
function(stkr_group_sources target)
  get_target_property(sources ${target} SOURCES)
  get_target_property(target_folder ${target} SOURCE_DIR)
  foreach(source ${sources})
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${target_folder})
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME folder)
    list(APPEND folders ${folder})
    list(APPEND sources_${folder} ${source})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder ${folders})
    list(LENGTH sources_${folder} count)
    math(EXPR groups "(${count} + 19) / 20")
    set(position 0)
    foreach(source ${sources_${folder}})
      math(EXPR group "${position} * ${groups} / ${count}")
      set_source_files_properties(${source} TARGET_DIRECTORY ${target}
                                  PROPERTIES UNITY_GROUP ${folder}_${group})
      math(EXPR position "${position} + 1")
    endforeach()
  endforeach()
endfunction()

function(stkr_set_compile_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wpedantic -Wnon-virtual-dtor)
  # GCC 12 warns about its own AVX-512 intrinsics (GCC bug 105593), through Eigen, and about
  # std::string (GCC bug 105651).
  foreach(warning maybe-uninitialized uninitialized array-bounds restrict stringop-overread
                  stringop-overflow)
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-${warning}>)
  endforeach()
  if(STKR_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  # Collecting garbage while compiling takes about 5 % of the time and saves a tenth of the memory.
  target_compile_options(${target} PRIVATE
                         "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:SHELL:--param ggc-min-heapsize=4000000>")
  # By default sqrt sets errno, which prevents the kernel tiles from being vectorized. No code here
  # reads errno after a mathematical function.
  target_compile_options(${target} PRIVATE -fno-math-errno)
  # The Python module is a shared object that contains the library. Our functions are never replaced at load
  # time; without this option the compiler could not inline them in position-independent code.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-semantic-interposition>)
  # Eigen would start its own threads outside our parallel regions and none inside them, and the sums of
  # its products depend on the number of threads.
  target_compile_definitions(${target} PRIVATE EIGEN_DONT_PARALLELIZE)
  if(STKR_NATIVE)
    # PUBLIC, because the alignment of Eigen's types depends on the instruction set: targets that
    # link the library must use the same one.
    target_compile_options(${target} PUBLIC $<$<COMPILE_LANGUAGE:CXX>:-march=native>)
  endif()
  stkr_harden(${target})
  if(STKR_SANITIZE)
    target_compile_options(${target} PUBLIC -fsanitize=${STKR_SANITIZE} -fno-sanitize-recover=all
                                            -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${STKR_SANITIZE})
  endif()
endfunction()

# For code that is not performance-critical: it compiles faster.
function(stkr_optimize_less target)
  target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O1>)
endfunction()

# Precompiles the headers that nearly every source of a target includes: they take about 40 % of the
# compile time. The first is <Eigen/Core> with its products, which are compiled only in the library.
# Further headers may follow the name of the target.
function(stkr_precompile target)
  if(STKR_PRECOMPILE)
    target_precompile_headers(
      ${target} PRIVATE ${PROJECT_SOURCE_DIR}/src/linop/eigen_products.hpp <fmt/format.h> <fmt/ranges.h> <algorithm> <chrono> <cmath> <filesystem>
      <functional> <map> <memory> <numeric> <optional> <span> <stop_token> <string> <unordered_map> <variant>
      <vector> ${ARGN})
  endif()
endfunction()

# For a library or program above the library: compiled as stkr_upper is, with its precompiled headers.
function(stkr_compile_as_upper target)
  stkr_set_compile_options(${target})
  stkr_optimize_less(${target})
  stkr_join_sources(${target})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  if(STKR_PRECOMPILE)
    target_compile_options(${target} PRIVATE -fPIC) # not -fPIE, which programs would get
    target_precompile_headers(${target} REUSE_FROM stkr_upper)
  endif()
endfunction()

# All tests share one set of precompiled headers, so they are compiled with the same options.
function(stkr_set_test_options target)
  stkr_set_compile_options(${target})
  stkr_optimize_less(${target}) # tests solve small problems, so compiling them takes most of the time
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${target} PRIVATE stkr_internal GTest::gtest_main GTest::gmock ZLIB::ZLIB
                                          fmt::fmt)
  if(NOT target STREQUAL stkr_test_support AND NOT target STREQUAL stkr_test_headers)
    target_link_libraries(${target} PRIVATE stkr_test_support)
  endif()
  if(STKR_PRECOMPILE AND NOT target STREQUAL stkr_test_headers)
    if(NOT TARGET stkr_test_headers)
      file(WRITE ${PROJECT_BINARY_DIR}/test_headers.cpp "")
      add_library(stkr_test_headers OBJECT ${PROJECT_BINARY_DIR}/test_headers.cpp)
      stkr_set_test_options(stkr_test_headers)
      stkr_precompile(stkr_test_headers <gtest/gtest.h> <gmock/gmock.h>)
    endif()
    target_precompile_headers(${target} REUSE_FROM stkr_test_headers)
  endif()
endfunction()

# stkr_layer(<layer> SOURCES a b TESTS a b BENCHMARKS a [TARGET t] [UPPER] [OPTIMIZED a]): names without extension.
# Sources belong to the library stkr, to its part stkr_upper (but for those in OPTIMIZED), or to the library t. A test
# or benchmark of `a` is in a_test.cpp or a_benchmark.cpp next to a.cpp. Tests with a namespace of their own, stkr::a_test, are joined.
function(stkr_layer layer)
  cmake_parse_arguments(ARG "UPPER" "TARGET" "SOURCES;OPTIMIZED;TESTS;BENCHMARKS" ${ARGN})
  if(NOT ARG_TARGET)
    set(ARG_TARGET stkr)
  endif()
  set(compiled_in ${ARG_TARGET})
  if(ARG_UPPER)
    set(compiled_in stkr_upper)
  endif()
  foreach(name ${ARG_SOURCES})
    target_sources(${compiled_in} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/${name}.cpp)
  endforeach()
  foreach(name ${ARG_OPTIMIZED})
    target_sources(stkr PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/${name}.cpp)
  endforeach()
  if(STKR_BUILD_TESTS AND ARG_TESTS)
    list(TRANSFORM ARG_TESTS APPEND _test.cpp)
    add_executable(${layer}_test ${ARG_TESTS})
    stkr_set_test_options(${layer}_test)
    stkr_join_sources(${layer}_test)
    foreach(test ${ARG_TESTS})
      cmake_path(GET test STEM name)
      file(STRINGS ${test} own REGEX "^namespace stkr[a-z:]*::${name} {" LIMIT_COUNT 1)
      if(NOT own) # its names could be those of another test
        set_source_files_properties(${test} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
      endif()
    endforeach()
    target_link_libraries(${layer}_test PRIVATE ${ARG_TARGET})
    gtest_discover_tests(${layer}_test DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 300)
  endif()
  if(STKR_BUILD_BENCHMARKS AND ARG_BENCHMARKS)
    list(TRANSFORM ARG_BENCHMARKS APPEND _benchmark.cpp)
    add_executable(${layer}_benchmark ${ARG_BENCHMARKS})
    stkr_set_compile_options(${layer}_benchmark)
    target_link_libraries(${layer}_benchmark PRIVATE stkr_internal benchmark::benchmark_main)
  endif()
endfunction()
