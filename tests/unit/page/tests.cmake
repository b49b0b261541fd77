byoc_unit_test(page FAST DEPENDS page)
