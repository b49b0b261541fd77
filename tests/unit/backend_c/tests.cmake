byoc_unit_test(backend_c DEPENDS reference evaluate ir optimise plugin support test_values)
