# find_package(byoc): byoc_add_model() for firmware projects and byoc_add_plugin() for codegens, from an installation or
# straight from the source tree (byoc_DIR=<source>/cmake). byoc::rt has the headers that firmware includes besides a model's,
# as byoc/rt/profile.h. An installation also has byoc::byoc, the host API.
include(${CMAKE_CURRENT_LIST_DIR}/ByocAddModel.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/ByocAddPlugin.cmake)

get_filename_component(_byoc_prefix ${CMAKE_CURRENT_LIST_DIR}/../../.. ABSOLUTE)
set(_byoc_rt ${_byoc_prefix}/share/byoc/include)
if(NOT EXISTS ${_byoc_rt})
  get_filename_component(_byoc_rt ${CMAKE_CURRENT_LIST_DIR}/../include ABSOLUTE)
endif()
if(NOT TARGET byoc::rt)
  add_library(byoc::rt INTERFACE IMPORTED)
  set_target_properties(byoc::rt PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${_byoc_rt})
endif()
# Debian's packages have it in the folder of its architecture.
file(GLOB _byoc_library ${_byoc_prefix}/lib/libbyoc.so ${_byoc_prefix}/lib/*/libbyoc.so)
# A program for a board links no library of this machine, and where it knows no shared ones CMake would warn.
get_property(_byoc_shared GLOBAL PROPERTY TARGET_SUPPORTS_SHARED_LIBS)
if(NOT TARGET byoc::byoc AND _byoc_library AND _byoc_shared AND NOT CMAKE_CROSSCOMPILING)
  list(GET _byoc_library 0 _byoc_library)
  add_library(byoc::byoc SHARED IMPORTED)
  set_target_properties(byoc::byoc PROPERTIES IMPORTED_LOCATION ${_byoc_library}
                                              INTERFACE_INCLUDE_DIRECTORIES ${_byoc_prefix}/include
                                              INTERFACE_COMPILE_FEATURES cxx_std_20)
endif()
