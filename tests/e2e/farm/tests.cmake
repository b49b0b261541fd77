# byoc in build farms: launchers, servers on loopback, kept exports, what is built again.
if(NOT TARGET byoc)
  return()
endif()

foreach(suite Compiler Launchers Kept Rebuilt)
  add_test(NAME e2e.farm.${suite} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/farm_test.py
                                          $<TARGET_FILE:byoc> ${PROJECT_SOURCE_DIR} ${suite})
  set_tests_properties(e2e.farm.${suite} PROPERTIES LABELS "e2e" TIMEOUT 300)
endforeach()
byoc_only_in_all(e2e.farm.Launchers)  # redis, sccache, distcc
