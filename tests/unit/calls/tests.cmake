if(BYOC_WITH_LLVM)
  byoc_unit_test(calls FAST DEPENDS calls)
endif()
