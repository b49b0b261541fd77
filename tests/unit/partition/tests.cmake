byoc_unit_test(partition DEPENDS partition)
