if(BYOC_WITH_LLVM)
  byoc_unit_test(runtime_host DEPENDS runtime_host graphjson executor pipeline reference)
endif()
