# Each platform is a test of its own; they share no folder.
file(GLOB kernel_test_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cpp)
add_executable(e2e_kernels ${kernel_test_sources})
target_include_directories(e2e_kernels PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
byoc_warnings(e2e_kernels)
target_link_libraries(e2e_kernels PRIVATE byoc_test_places byoc_reference byoc_support GTest::gtest_main)
gtest_discover_tests(e2e_kernels TEST_PREFIX "e2e.kernels." DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 120)
