# Headers only: include/byoc and nothing else of ours.
byoc_unit_test(nodes FAST)
