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

# Most of what a small source costs is the C++ library's templates, which every one of them instantiates again: what
# several have in common is compiled once where they are compiled as one. Their anonymous namespaces are one, too, so that
# names in them have to differ: tests/lint/together.py looks.
option(BYOC_TOGETHER "Compile the sources of folders with many small ones several at a time" ON)

# Gives `out` <count> generated sources in place of <sources>, each of which includes its share. Which share a source is
# in depends on its path alone, so that a new one leaves the others' objects valid; paths are relative, so that ccache
# finds the objects of another checkout (CMake's own UNITY_BUILD has absolute ones).
function(byoc_together out count sources)
  math(EXPR last "${count} - 1")
  foreach(source ${sources})
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${source})
    string(MD5 hash ${path})
    string(SUBSTRING ${hash} 0 6 hash)
    math(EXPR share "0x${hash} % ${count}")
    string(APPEND text_${share} "#include \"${path}\"\n")
  endforeach()
  set(files)
  foreach(share RANGE ${last})
    set(file ${CMAKE_CURRENT_BINARY_DIR}/together_${share}.cpp)
    file(CONFIGURE OUTPUT ${file} CONTENT "${text_${share}}" @ONLY)
    list(APPEND files ${file})
  endforeach()
  set(${out} ${files} PARENT_SCOPE)
endfunction()

# One folder is one target: byoc_library(name [NO_RECURSE] [TOGETHER n] DEPENDS ... LINK ...) makes byoc_<name> of the
# .cpp files below this folder, with TOGETHER in n shares that are compiled as one each. DEPENDS names our own layers
# (tests/lint checks them against the allowed edges), LINK foreign ones, PRECOMPILE large foreign headers that most of the
# files include.
function(byoc_library name)
  cmake_parse_arguments(ARG "NO_RECURSE" "TOGETHER" "DEPENDS;LINK;LINK_PRIVATE;EXCLUDE;PRECOMPILE" ${ARGN})
  if(ARG_NO_RECURSE)
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  else()
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  endif()
  foreach(pattern ${ARG_EXCLUDE})
    list(FILTER sources EXCLUDE REGEX ${pattern})
  endforeach()
  if(ARG_TOGETHER AND BYOC_TOGETHER)
    byoc_together(sources ${ARG_TOGETHER} "${sources}")
  endif()
  add_library(byoc_${name} STATIC ${sources})
  target_include_directories(byoc_${name} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
  byoc_warnings(byoc_${name} -Wpedantic -Wshadow -Wconversion)
  byoc_precompiled(byoc_${name} WITH ${ARG_PRECOMPILE})
  foreach(dependency ${ARG_DEPENDS})
    target_link_libraries(byoc_${name} PUBLIC byoc_${dependency})
  endforeach()
  target_link_libraries(byoc_${name} PUBLIC ${ARG_LINK} PRIVATE ${ARG_LINK_PRIVATE})
endfunction()
