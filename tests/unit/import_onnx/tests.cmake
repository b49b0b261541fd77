byoc_unit_test(import_onnx DEPENDS import_onnx import prepare evaluate LINK ${BYOC_ONNX_PROTO} protobuf::libprotobuf)
target_compile_definitions(unit_import_onnx PRIVATE ONNX_API=)
target_sources(unit_import_onnx PRIVATE ${PROJECT_SOURCE_DIR}/tests/support/tensors.cpp)
