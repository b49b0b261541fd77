byoc_unit_test(plugin DEPENDS plugin)
target_compile_definitions(unit_plugin PRIVATE BYOC_VERSION="${PROJECT_VERSION}")
