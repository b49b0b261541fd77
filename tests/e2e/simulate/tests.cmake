# Small hand-written models linked and run on every simulator.
byoc_test_program(e2e_simulate DEPENDS simulate module)
gtest_discover_tests(e2e_simulate TEST_PREFIX "e2e.simulate." PROPERTIES LABELS e2e DISCOVERY_TIMEOUT 60)
