byoc_unit_test(prepare FAST DEPENDS prepare)
