# Models rebuilt from public bug reports, where they are.
if(NOT TARGET byoc OR NOT numpy_python)
  return()
endif()
add_test(NAME e2e.bugs COMMAND ${numpy_python} ${CMAKE_CURRENT_LIST_DIR}/bugs_test.py --byoc $<TARGET_FILE:byoc>
                               --bugs ${PROJECT_SOURCE_DIR}/../shared/bugs)
set_tests_properties(e2e.bugs PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600 LABELS "e2e")
