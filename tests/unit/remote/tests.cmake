if(BYOC_WITH_LLVM)
  byoc_unit_test(remote DEPENDS remote)
endif()
