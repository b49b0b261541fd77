# Weights in a file of their own, from the export to a firmware that is not built anew.
if(NOT TARGET byoc)
  return()
endif()

foreach(suite File Code Signed Refused Difference Firmware)
  add_test(NAME e2e.weights.${suite} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/weights_test.py
                                             $<TARGET_FILE:byoc> ${PROJECT_SOURCE_DIR} ${BYOC_NETWORKS} ${suite})
  set_tests_properties(e2e.weights.${suite} PROPERTIES LABELS "e2e" TIMEOUT 300)
endforeach()
