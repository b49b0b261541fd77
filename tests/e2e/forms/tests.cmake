# Packages for other build systems, each used as its world does.
if(NOT TARGET byoc)
  return()
endif()

foreach(suite Cmake PkgConfig Zephyr EspIdf Arduino PlatformIO Cargo CmsisPack Npm Wheel Bazel Reproducible Models Refused)
  add_test(NAME e2e.forms.${suite}
           COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/forms_test.py $<TARGET_FILE:byoc> ${PROJECT_SOURCE_DIR}
                   ${BYOC_NETWORKS} ${PROJECT_BINARY_DIR} ${suite})
  set_tests_properties(e2e.forms.${suite} PROPERTIES LABELS "e2e" TIMEOUT 300)
endforeach()
foreach(suite Bills Sources Reprotest)
  add_test(NAME e2e.forms.${suite}
           COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/supply_test.py $<TARGET_FILE:byoc> ${PROJECT_SOURCE_DIR}
                   ${BYOC_NETWORKS} ${PROJECT_BINARY_DIR} ${suite})
  set_tests_properties(e2e.forms.${suite} PROPERTIES LABELS "e2e" TIMEOUT 300)
endforeach()
byoc_not_sanitized("preloads a clock of its own, and sanitizers want to be first" e2e.forms.Reprotest)
