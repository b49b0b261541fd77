# Packages for other build systems, each used as its world does.
if(NOT TARGET byoc)
  return()
endif()

foreach(suite Cmake PkgConfig Zephyr EspIdf Arduino PlatformIO Cargo CmsisPack Npm Wheel Bazel Reproducible Models Licence Refused)
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
# Real tools of other build systems, reprotest; Cmake and PkgConfig are in the core set, with what every form has to do.
byoc_only_in_all(e2e.forms.Zephyr e2e.forms.EspIdf e2e.forms.Arduino e2e.forms.PlatformIO e2e.forms.Cargo e2e.forms.CmsisPack
                 e2e.forms.Npm e2e.forms.Wheel e2e.forms.Bazel e2e.forms.Reproducible e2e.forms.Bills e2e.forms.Reprotest)
byoc_not_sanitized("preloads a clock of its own, and sanitizers want to be first" e2e.forms.Reprotest)
