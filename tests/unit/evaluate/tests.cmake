byoc_unit_test(evaluate DEPENDS evaluate)
