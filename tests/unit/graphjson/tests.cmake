byoc_unit_test(graphjson DEPENDS graphjson)
