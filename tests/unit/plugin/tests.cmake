byoc_unit_test(plugin DEPENDS plugin)
