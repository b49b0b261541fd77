byoc_unit_test(simulate DEPENDS simulate LINK nlohmann_json::nlohmann_json onnx_proto protobuf::libprotobuf)
if(TARGET unit_simulate)
  target_compile_definitions(unit_simulate PRIVATE ONNX_ML=1 ONNX_NAMESPACE=onnx)
endif()
