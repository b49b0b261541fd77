if(BYOC_WITH_LLVM)
  byoc_unit_test(pack DEPENDS pack export LINK nlohmann_json::nlohmann_json)
endif()
