# byoc_warnings(<target> [<further flag>...]): the warnings of the project, which are errors where
# CMAKE_COMPILE_WARNING_AS_ERROR says so (the preset "ci"). GCC's warnings that follow the flow of values give
# false alarms inside std::string and std::optional when it inlines them (GCC PR 105329, 105562, 105651); which, changes
# with the flags. The sanitizers look for what they mean to find.
function(byoc_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra ${ARGN})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-maybe-uninitialized -Wno-restrict
                           -Wno-stringop-overflow -Wno-stringop-overread)
  endif()
endfunction()

# A small source costs mostly what it includes: the C++ library's templates are parsed and instantiated in each of them
# again. The sources of a folder are therefore compiled as a few large units. Their anonymous namespaces are one, too, so
# that names in them have to differ: tests/lint/together.py looks.
option(BYOC_TOGETHER "Compile the sources of a folder as a few large units" ON)

# byoc_together(<out> <stem> <count> <sources>): gives <out> <count> generated units <stem>_<n>.cpp, each of which includes
# its share of <sources>. The share of a source depends on its path alone, so that a new one leaves the others' objects
# valid; paths are relative, so that ccache finds the objects of another checkout (CMake's own UNITY_BUILD writes absolute
# ones).
function(byoc_together out stem count sources)
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
    set(file ${CMAKE_CURRENT_BINARY_DIR}/${stem}_${share}.cpp)
    file(CONFIGURE OUTPUT ${file} CONTENT "${text_${share}}" @ONLY)
    list(APPEND files ${file})
  endforeach()
  set(${out} ${files} PARENT_SCOPE)
endfunction()

# byoc_units(<out> <name> <units> <apart> <sources>): the units that byoc_library() describes.
function(byoc_units out name units apart sources)
  set(files)
  set(number 0)
  foreach(pattern IN LISTS apart)
    set(group ${sources})
    list(FILTER group INCLUDE REGEX ${pattern})
    list(FILTER sources EXCLUDE REGEX ${pattern})
    byoc_together(unit ${name}_apart_${number} 1 "${group}")
    list(APPEND files ${unit})
    math(EXPR number "${number} + 1")
  endforeach()
  if(sources)
    if(NOT units)
      set(units 1)
    endif()
    byoc_together(unit ${name}_unit ${units} "${sources}")
    list(APPEND files ${unit})
  endif()
  set(${out} ${files} PARENT_SCOPE)
endfunction()

# byoc_library(<name> ...) makes byoc_<name> of the .cpp files below this folder: one folder is one target. Folders below
# with a CMakeLists.txt are libraries of their own. The files are compiled as one unit, with UNITS as so many; those that
# match a regular expression of APART as one more for each, for headers that are large or do not go with others'. FAST is
# a regular expression of those that compute for long: one unit, with BYOC_FAST_FLAGS. COLD says that nothing in it is
# computed for long: BYOC_COLD_FLAGS compile it sooner. DEPENDS names our own layers (tests/lint checks them against the
# allowed edges), LINK foreign ones.
function(byoc_library name)
  cmake_parse_arguments(ARG "COLD" "UNITS;FAST" "DEPENDS;LINK;LINK_PRIVATE;APART" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  file(GLOB_RECURSE inner CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*/CMakeLists.txt)
  foreach(file IN LISTS inner)
    cmake_path(GET file PARENT_PATH folder)
    list(FILTER sources EXCLUDE REGEX "^${folder}/")
  endforeach()
  set(fast)
  if(ARG_FAST)
    set(fast ${sources})
    list(FILTER fast INCLUDE REGEX ${ARG_FAST})
  endif()
  if(BYOC_TOGETHER)
    if(ARG_FAST)
      list(FILTER sources EXCLUDE REGEX ${ARG_FAST})
      byoc_together(fast ${name}_fast 1 "${fast}")
    endif()
    byoc_units(sources ${name} "${ARG_UNITS}" "${ARG_APART}" "${sources}")
    list(APPEND sources ${fast})
  endif()
  if(fast AND BYOC_FAST_FLAGS)  # GCC fails on headers that were precompiled with another -O
    set_source_files_properties(${fast} PROPERTIES COMPILE_OPTIONS "${BYOC_FAST_FLAGS}" SKIP_PRECOMPILE_HEADERS ON)
  endif()
  add_library(byoc_${name} STATIC ${sources})
  target_include_directories(byoc_${name} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
  byoc_warnings(byoc_${name} -Wpedantic -Wshadow -Wconversion)
  if(ARG_COLD)
    target_compile_options(byoc_${name} PRIVATE ${BYOC_COLD_FLAGS})
  endif()
  byoc_precompiled(byoc_${name})
  foreach(dependency ${ARG_DEPENDS})
    target_link_libraries(byoc_${name} PUBLIC byoc_${dependency})
  endforeach()
  target_link_libraries(byoc_${name} PUBLIC ${ARG_LINK} PRIVATE ${ARG_LINK_PRIVATE})
endfunction()
