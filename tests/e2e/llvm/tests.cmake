# The LLVM backend: random layers against the evaluator, on vectors of every width and without any.
if(NOT TARGET byoc)
  return()
endif()
set(layers_python ${Python3_EXECUTABLE})  # which skips, and says why
if(numpy_python)
  set(layers_python ${numpy_python})
endif()
foreach(case native:3:1 host:2:10 aarch64-linux-gnu:1:20 cortex-m4f:1:30 cortex-m55:1:40)
  string(REPLACE ":" ";" case ${case})
  list(GET case 0 target)
  list(GET case 1 count)
  list(GET case 2 seed)
  add_test(NAME e2e.llvm.layers.${target}
           COMMAND ${layers_python} ${CMAKE_CURRENT_LIST_DIR}/layers_test.py $<TARGET_FILE:byoc> ${target} --cases ${count}
                   --seed ${seed})
  set_tests_properties(e2e.llvm.layers.${target} PROPERTIES SKIP_RETURN_CODE 77 LABELS "e2e" TIMEOUT 600)
endforeach()
# The random layers of e2e.layers, of every type, with this backend first.
if(TARGET e2e_layers)
  add_test(NAME e2e.llvm.sweep COMMAND ${CMAKE_COMMAND} -E env BYOC_SWEEP_BACKEND=llvm BYOC_SWEEP_TARGET=native BYOC_SWEEP_CASES=12
                                       $<TARGET_FILE:e2e_layers> --gtest_filter=All/Layers.agrees/*conv*_host_clang:*.agrees/*arithmetic*_host_clang:*.agrees/*fully*_host_clang:*.agrees/*matmul*_host_clang)
  set_tests_properties(e2e.llvm.sweep PROPERTIES LABELS "e2e" TIMEOUT 600)
endif()
# Threads give the same bits as none.
add_test(NAME e2e.llvm.threads COMMAND ${layers_python} ${CMAKE_CURRENT_LIST_DIR}/threads_test.py $<TARGET_FILE:byoc>)
set_tests_properties(e2e.llvm.threads PROPERTIES SKIP_RETURN_CODE 77 LABELS "e2e" TIMEOUT 600)
# Several levels of x86-64 in one library.
find_program(qemu_x86_64 qemu-x86_64)
add_test(NAME e2e.llvm.multiversion COMMAND ${layers_python} ${CMAKE_CURRENT_LIST_DIR}/multiversion_test.py $<TARGET_FILE:byoc>
                                            $<$<BOOL:${qemu_x86_64}>:${qemu_x86_64}>)
set_tests_properties(e2e.llvm.multiversion PROPERTIES SKIP_RETURN_CODE 77 LABELS "e2e" TIMEOUT 600)
