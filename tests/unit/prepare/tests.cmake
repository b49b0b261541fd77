byoc_unit_test(prepare DEPENDS prepare)
