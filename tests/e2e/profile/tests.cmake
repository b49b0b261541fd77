# Hooks around steps, from the export to the table that a log is made into.
if(NOT TARGET byoc)
  return()
endif()

foreach(suite Hooks Counters Log)
  add_test(NAME e2e.profile.${suite} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/profile_test.py
                                             $<TARGET_FILE:byoc> ${PROJECT_SOURCE_DIR} ${BYOC_NETWORKS} ${suite})
  set_tests_properties(e2e.profile.${suite} PROPERTIES LABELS "e2e" TIMEOUT 300)
endforeach()
byoc_only_in_all(e2e.profile.Counters)  # a compiler for 32-bit x86
