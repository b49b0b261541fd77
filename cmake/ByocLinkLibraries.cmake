# cmake -DMANIFEST=<model>.json -DOUT=<file> -DGIVEN=<list> -P ByocLinkLibraries.cmake
#
# Writes what a manifest lists in "link_libraries" as words for a linker, one a line: -l<name>. Those that GIVEN has, as
# <name> or a file lib<name>.a, are left out, for byoc_add_model() links them itself.
cmake_minimum_required(VERSION 3.25)
file(READ ${MANIFEST} manifest)
string(JSON count ERROR_VARIABLE none LENGTH "${manifest}" link_libraries)
set(given)
foreach(library IN LISTS GIVEN)
  get_filename_component(name "${library}" NAME_WE)
  string(REGEX REPLACE "^lib" "" stem "${name}")
  list(APPEND given ${name} ${stem})
endforeach()
set(text "")
if(NOT none AND count GREATER 0)
  math(EXPR last "${count} - 1")
  foreach(i RANGE ${last})
    string(JSON name GET "${manifest}" link_libraries ${i})
    if(NOT name IN_LIST given)
      string(APPEND text "-l${name}\n")
    endif()
  endforeach()
endif()
file(WRITE ${OUT} "${text}")
