# Each platform is a test of its own; they share no folder.
byoc_test_program(e2e_kernels DEPENDS reference support)
gtest_discover_tests(e2e_kernels TEST_PREFIX "e2e.kernels." DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 120)
