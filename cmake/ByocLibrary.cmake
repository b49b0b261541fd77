# byoc_warnings(<target> [<further flag>...]): warnings are errors. GCC's warnings that follow the flow of values give
# false alarms inside std::string and std::optional when it inlines them (GCC PR 105329, 105562, 105651); which, changes
# with the flags. The sanitizers look for what they mean to find.
function(byoc_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra ${ARGN} -Werror)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-maybe-uninitialized -Wno-restrict
                           -Wno-stringop-overflow -Wno-stringop-overread)
  endif()
endfunction()

# One folder is one target: byoc_library(name [NO_RECURSE] DEPENDS ... LINK ...) makes byoc_<name> of the .cpp files
# below this folder. DEPENDS names our own layers (tests/lint checks them against the allowed edges), LINK foreign ones,
# PRECOMPILE large foreign headers that most of the files include.
function(byoc_library name)
  cmake_parse_arguments(ARG "NO_RECURSE" "" "DEPENDS;LINK;LINK_PRIVATE;EXCLUDE;PRECOMPILE" ${ARGN})
  if(ARG_NO_RECURSE)
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  else()
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  endif()
  foreach(pattern ${ARG_EXCLUDE})
    list(FILTER sources EXCLUDE REGEX ${pattern})
  endforeach()
  add_library(byoc_${name} STATIC ${sources})
  target_include_directories(byoc_${name} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
  byoc_warnings(byoc_${name} -Wpedantic -Wshadow -Wconversion)
  byoc_precompiled(byoc_${name} WITH ${ARG_PRECOMPILE})
  foreach(dependency ${ARG_DEPENDS})
    target_link_libraries(byoc_${name} PUBLIC byoc_${dependency})
  endforeach()
  target_link_libraries(byoc_${name} PUBLIC ${ARG_LINK} PRIVATE ${ARG_LINK_PRIVATE})
endfunction()
