byoc_unit_test(ir DEPENDS ir)
