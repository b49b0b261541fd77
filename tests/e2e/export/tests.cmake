# The command line from outside: what is written, what is refused, what links and runs.
if(NOT TARGET byoc)
  return()
endif()

foreach(suite Export BadInput BuildTree)
  add_test(NAME e2e.export.${suite} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/export_test.py
                                            $<TARGET_FILE:byoc> ${PROJECT_SOURCE_DIR} ${BYOC_NETWORKS} ${suite})
  set_tests_properties(e2e.export.${suite} PROPERTIES LABELS "e2e" TIMEOUT 300)
endforeach()

foreach(suite OneObject Folder ModelLibrary SharedLibrary SystemLibrary OneArena LinkTimeOptimisation Constants Run)
  add_test(NAME e2e.packs.${suite} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/packs_test.py
                                           $<TARGET_FILE:byoc> ${PROJECT_SOURCE_DIR} ${BYOC_NETWORKS} ${suite})
  set_tests_properties(e2e.packs.${suite} PROPERTIES LABELS "e2e" TIMEOUT 300)
endforeach()

add_test(NAME e2e.header COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/header_test.py $<TARGET_FILE:byoc>
                                 ${PROJECT_SOURCE_DIR} ${BYOC_NETWORKS})
set_tests_properties(e2e.header PROPERTIES LABELS "e2e" TIMEOUT 300)

foreach(suite Runs WrongCore Packages)
  add_test(NAME e2e.cores.${suite} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/cores_test.py
                                           $<TARGET_FILE:byoc> ${PROJECT_SOURCE_DIR} ${BYOC_NETWORKS} ${suite})
  set_tests_properties(e2e.cores.${suite} PROPERTIES LABELS "e2e" TIMEOUT 300)
endforeach()

add_test(NAME e2e.projects COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/projects_test.py $<TARGET_FILE:byoc>
                                   ${PROJECT_SOURCE_DIR} ${BYOC_NETWORKS})
set_tests_properties(e2e.projects PROPERTIES LABELS "e2e" TIMEOUT 300)

foreach(suite Places Changing Signals Streams Inputs)
  add_test(NAME e2e.outputs.${suite} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/outputs_test.py
                                             $<TARGET_FILE:byoc> ${PROJECT_SOURCE_DIR} ${suite})
  set_tests_properties(e2e.outputs.${suite} PROPERTIES LABELS "e2e" TIMEOUT 300)
endforeach()

foreach(suite Files Links Targets)
  add_test(NAME e2e.two_exports.${suite} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/two_exports_test.py
                                                 $<TARGET_FILE:byoc> ${PROJECT_SOURCE_DIR} ${suite})
  set_tests_properties(e2e.two_exports.${suite} PROPERTIES LABELS "e2e" TIMEOUT 300)
endforeach()

foreach(suite Silence Bits Constants Builds Refused)
  add_test(NAME e2e.sources.${suite} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/sources_test.py
                                             $<TARGET_FILE:byoc> ${PROJECT_SOURCE_DIR} ${BYOC_NETWORKS} ${suite})
  set_tests_properties(e2e.sources.${suite} PROPERTIES LABELS "e2e" TIMEOUT 300)
endforeach()

foreach(suite Links Manifest)
  add_test(NAME e2e.wants.${suite} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/wants_test.py
                                           $<TARGET_FILE:byoc> ${PROJECT_SOURCE_DIR} ${BYOC_NETWORKS} ${suite})
  set_tests_properties(e2e.wants.${suite} PROPERTIES LABELS "e2e" TIMEOUT 300)
endforeach()

add_test(NAME e2e.xtensa COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/xtensa_test.py $<TARGET_FILE:byoc>
                                 ${PROJECT_SOURCE_DIR} ${BYOC_NETWORKS})
set_tests_properties(e2e.xtensa PROPERTIES LABELS "e2e" TIMEOUT 300)

foreach(suite Flash Stack)
  add_test(NAME e2e.sizes.${suite} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/sizes_test.py
                                           $<TARGET_FILE:byoc> ${PROJECT_SOURCE_DIR} ${BYOC_NETWORKS} ${suite})
  set_tests_properties(e2e.sizes.${suite} PROPERTIES LABELS "e2e" TIMEOUT 300)
endforeach()

byoc_threaded(e2e.export.Export e2e.export.BuildTree e2e.packs.OneObject e2e.packs.Folder e2e.packs.Constants
              e2e.outputs.Places e2e.outputs.Changing e2e.outputs.Signals e2e.outputs.Inputs)

# Gigabytes of disk and page cache: by itself.
add_test(NAME e2e.packs.CodeModel COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/packs_test.py
                                          $<TARGET_FILE:byoc> ${PROJECT_SOURCE_DIR} ${BYOC_NETWORKS} CodeModel)
set_tests_properties(e2e.packs.CodeModel PROPERTIES LABELS "e2e" TIMEOUT 900 RUN_SERIAL TRUE)
byoc_only_in_all(e2e.packs.CodeModel)
# A minute or more each: every form with every executor, projects of users, all ways to encode constants.
byoc_only_in_all(e2e.packs.Run e2e.packs.Constants e2e.packs.LinkTimeOptimisation e2e.projects)

add_test(NAME e2e.resume COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/resume_test.py $<TARGET_FILE:byoc>
                                 ${PROJECT_SOURCE_DIR} ${BYOC_NETWORKS})
set_tests_properties(e2e.resume PROPERTIES LABELS "e2e" TIMEOUT 300)
