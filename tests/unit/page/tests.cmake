byoc_unit_test(page DEPENDS page)
