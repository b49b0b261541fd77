if(BYOC_WITH_LLVM)
  byoc_unit_test(pack DEPENDS pack pack_model_library export export_executors LINK nlohmann_json::nlohmann_json)
endif()
