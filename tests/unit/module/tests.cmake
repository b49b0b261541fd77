byoc_unit_test(module FAST DEPENDS module)
