byoc_unit_test(bounded DEPENDS prepare evaluate simulate test_values)
if(TARGET unit_bounded)
  target_sources(unit_bounded PRIVATE ${PROJECT_SOURCE_DIR}/tests/support/counted_outputs.cpp)
endif()
