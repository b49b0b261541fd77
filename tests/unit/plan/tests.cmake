byoc_unit_test(plan DEPENDS plan)
