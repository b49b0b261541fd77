byoc_unit_test(executor DEPENDS executor)
