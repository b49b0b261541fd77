if(BYOC_WITH_LLVM)
  byoc_unit_test(runtime_host THREADS DEPENDS runtime_host graphjson executor executor_graph export reference api)
endif()
