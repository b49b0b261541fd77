# What nearly every source includes is compiled once: the C++ library for the layers, that and GoogleTest for the tests.
# Headers of our own stay out, so that a change to one rebuilds what includes it and nothing else. Sources are to include
# what they use all the same: the fuzz build (importers and what they need) compiles without precompiled headers, and
# -DBYOC_PRECOMPILED_HEADERS=OFF does so for all.
option(BYOC_PRECOMPILED_HEADERS "Compile the C++ library's and GoogleTest's headers once" ON)

set(byoc_precompiled_headers
  <nlohmann/json.hpp> <algorithm> <array> <cmath> <cstdint> <cstring> <filesystem> <fstream> <functional> <limits> <map> <memory> <numeric>
  <optional> <set> <span> <sstream> <string> <string_view> <unordered_map> <utility> <variant> <vector>)

# byoc_precompiled(<target> [TESTS]): <target> uses the precompiled headers. TESTS: as an executable with GoogleTest,
# unoptimised, for what a test does itself is little beside what it calls.
function(byoc_precompiled target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "TESTS" "" "")
  if(ARG_TESTS)
    target_compile_options(${target} PRIVATE -O0)
  endif()
  if(NOT BYOC_PRECOMPILED_HEADERS)
    return()
  endif()
  set(name byoc_precompiled_library)
  if(ARG_TESTS)
    set(name byoc_precompiled_tests)
  endif()
  if(NOT TARGET ${name})
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${name}.cpp CONTENT "// Carries the precompiled headers.\n")
    add_library(${name} OBJECT ${PROJECT_BINARY_DIR}/${name}.cpp)
    target_precompile_headers(${name} PRIVATE ${byoc_precompiled_headers})
    # GCC takes a precompiled header only where the flags that define macros are the same.
    if(NOT ARG_TESTS)
      target_compile_options(${name} PRIVATE -Wpedantic)
    else()
      set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
      target_compile_options(${name} PRIVATE -fPIE -O0)
      target_link_libraries(${name} PRIVATE GTest::gtest GTest::gmock)
      target_precompile_headers(${name} PRIVATE <gmock/gmock.h> <gtest/gtest.h>)
    endif()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${name})
endfunction()
