byoc_unit_test(optimise FAST DEPENDS optimise)
