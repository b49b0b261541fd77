byoc_unit_test(plugin DEPENDS plugin import_onnx import_tflite prepare evaluate tflite_schema)
target_sources(unit_plugin PRIVATE ${PROJECT_SOURCE_DIR}/tests/support/tensors.cpp)
target_compile_definitions(unit_plugin PRIVATE BYOC_VERSION="${PROJECT_VERSION}")
