byoc_unit_test(import_onnx FAST DEPENDS import_onnx import prepare evaluate test_values LINK ${BYOC_ONNX_PROTO} protobuf::libprotobuf)
target_compile_definitions(unit_import_onnx PRIVATE ONNX_API=)
