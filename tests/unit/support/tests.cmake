byoc_unit_test(support DEPENDS support)
