byoc_unit_test(ir FAST DEPENDS ir)
