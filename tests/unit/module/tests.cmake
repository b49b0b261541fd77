byoc_unit_test(module DEPENDS module)
