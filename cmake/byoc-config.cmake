# find_package(byoc): byoc_add_model() for firmware projects and byoc_add_plugin() for codegens, from an installation or
# straight from the source tree (byoc_DIR=<source>/cmake). An installation also has byoc::byoc, the host API.
include(${CMAKE_CURRENT_LIST_DIR}/ByocAddModel.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/ByocAddPlugin.cmake)

get_filename_component(_byoc_prefix ${CMAKE_CURRENT_LIST_DIR}/../../.. ABSOLUTE)
if(NOT TARGET byoc::byoc AND EXISTS ${_byoc_prefix}/lib/libbyoc.so)
  add_library(byoc::byoc SHARED IMPORTED)
  set_target_properties(byoc::byoc PROPERTIES IMPORTED_LOCATION ${_byoc_prefix}/lib/libbyoc.so
                                              INTERFACE_INCLUDE_DIRECTORIES ${_byoc_prefix}/include
                                              INTERFACE_COMPILE_FEATURES cxx_std_20)
endif()
