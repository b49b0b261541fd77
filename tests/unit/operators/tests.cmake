byoc_unit_test(operators DEPENDS reference check import_onnx test_values LINK ${BYOC_ONNX_PROTO} protobuf::libprotobuf)
if(TARGET unit_operators)
  target_compile_definitions(unit_operators PRIVATE ONNX_API=)
endif()
