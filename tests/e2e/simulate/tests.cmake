# Small hand-written models linked and run on every simulator.
add_executable(e2e_simulate ${CMAKE_CURRENT_LIST_DIR}/simulate_test.cpp ${CMAKE_CURRENT_LIST_DIR}/small_model.cpp)
target_include_directories(e2e_simulate PRIVATE ${PROJECT_SOURCE_DIR})
byoc_warnings(e2e_simulate)
target_link_libraries(e2e_simulate PRIVATE byoc_simulate byoc_module GTest::gtest_main GTest::gmock)
gtest_discover_tests(e2e_simulate TEST_PREFIX "e2e.simulate." PROPERTIES LABELS e2e DISCOVERY_TIMEOUT 60)
