byoc_unit_test(support THREADS DEPENDS support)
