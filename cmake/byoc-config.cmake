# find_package(byoc): byoc_add_model() for firmware projects and byoc_add_plugin() for codegens, from an installation or
# straight from the source tree (byoc_DIR=<source>/cmake).
include(${CMAKE_CURRENT_LIST_DIR}/ByocAddModel.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/ByocAddPlugin.cmake)
