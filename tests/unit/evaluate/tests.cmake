byoc_unit_test(evaluate FAST DEPENDS evaluate)
