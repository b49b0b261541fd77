# Many exports: the matrix, build files for ninja, make and Slurm, and a run here.
if(NOT TARGET byoc)
  return()
endif()

foreach(suite Run Emit Wrong)
  add_test(NAME e2e.batch.${suite} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/batch_test.py
                                           $<TARGET_FILE:byoc> ${PROJECT_SOURCE_DIR} ${suite})
  set_tests_properties(e2e.batch.${suite} PROPERTIES LABELS "e2e" TIMEOUT 300)
endforeach()
