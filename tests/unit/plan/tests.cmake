byoc_unit_test(plan FAST DEPENDS plan)
