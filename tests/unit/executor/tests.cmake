byoc_unit_test(executor FAST DEPENDS executor)
