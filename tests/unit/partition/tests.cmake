byoc_unit_test(partition FAST DEPENDS partition)
