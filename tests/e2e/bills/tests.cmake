# Bills of materials of exports.
if(NOT TARGET byoc)
  return()
endif()

foreach(suite Spdx CycloneDx Slsa Outputs)
  add_test(NAME e2e.bills.${suite}
           COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/bills_test.py $<TARGET_FILE:byoc> ${PROJECT_SOURCE_DIR}
                   ${PROJECT_BINARY_DIR} ${suite})
  set_tests_properties(e2e.bills.${suite} PROPERTIES LABELS "e2e" TIMEOUT 300)
endforeach()
byoc_only_in_all(e2e.bills.CycloneDx)  # its schema, by npm
