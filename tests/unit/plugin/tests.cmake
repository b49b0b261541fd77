byoc_unit_test(plugin FAST DEPENDS plugin import_onnx import_tflite prepare evaluate tflite_schema test_values)
target_compile_definitions(unit_plugin PRIVATE BYOC_VERSION="${PROJECT_VERSION}")
