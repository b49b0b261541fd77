byoc_unit_test(optimise DEPENDS optimise)
