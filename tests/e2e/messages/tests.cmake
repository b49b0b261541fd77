# What byoc answers to the mistakes of a newcomer, a row for each.
if(NOT TARGET byoc)
  return()
endif()
add_test(NAME e2e.messages COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/messages_test.py $<TARGET_FILE:byoc>
                                   ${PROJECT_SOURCE_DIR})
set_tests_properties(e2e.messages PROPERTIES LABELS "e2e" TIMEOUT 300)
