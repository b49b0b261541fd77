byoc_unit_test(support THREADS FAST DEPENDS support)
