if(TARGET byoc)
  set(models)
  if(EXISTS ${BYOC_SHARED}/models/golden)
    set(models --models ${BYOC_SHARED}/models)
  endif()
  add_test(NAME e2e.load_forms
           COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/load_forms_test.py --byoc $<TARGET_FILE:byoc> --source
                   ${PROJECT_SOURCE_DIR} ${models})
  set_tests_properties(e2e.load_forms PROPERTIES LABELS e2e TIMEOUT 900)
  add_test(NAME e2e.load_damaged
           COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/damaged_test.py --byoc $<TARGET_FILE:byoc> --source
                   ${PROJECT_SOURCE_DIR})
  set_tests_properties(e2e.load_damaged PROPERTIES LABELS e2e)
endif()
