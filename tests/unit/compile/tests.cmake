if(BYOC_WITH_LLVM)
  byoc_unit_test(compile THREADS DEPENDS compile)
endif()
