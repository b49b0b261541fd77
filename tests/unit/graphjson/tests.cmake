byoc_unit_test(graphjson FAST DEPENDS graphjson)
