byoc_unit_test(vm DEPENDS vm)
