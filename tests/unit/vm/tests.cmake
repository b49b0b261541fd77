byoc_unit_test(vm FAST DEPENDS vm)
