if(BYOC_WITH_LLVM)
  byoc_unit_test(object DEPENDS object)
endif()
