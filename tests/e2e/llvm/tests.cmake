# The LLVM backend: random layers against the evaluator, on vectors of every width and without any, and of floats of 16
# bits by instructions of the machine and without them.
if(NOT TARGET byoc)
  return()
endif()
set(layers_python ${Python3_EXECUTABLE})  # which skips, and says why
if(numpy_python)
  set(layers_python ${numpy_python})
endif()
foreach(case native:f32:3:1 host:f32:2:10 aarch64-linux-gnu:f32:1:20 cortex-m4f:f32:1:30 cortex-m55:f32:1:40 riscv64gcv:f32:1:50
             native:f16:2:60 host:f16:1:70 host:bf16:1:80 aarch64-linux-gnu:f16:1:90 cortex-m4f:f16:1:100)
  string(REPLACE ":" ";" case ${case})
  list(GET case 0 target)
  list(GET case 1 real)
  list(GET case 2 count)
  list(GET case 3 seed)
  set(name e2e.llvm.layers.${target})
  if(NOT real STREQUAL f32)
    string(APPEND name .${real})
  endif()
  add_test(NAME ${name} COMMAND ${layers_python} ${CMAKE_CURRENT_LIST_DIR}/layers_test.py $<TARGET_FILE:byoc> ${target}
                                --real ${real} --cases ${count} --seed ${seed})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 LABELS "e2e" TIMEOUT 600)
  if(NOT "${target}:${real}" MATCHES "^(native:f32|native:f16|cortex-m55:f32)$")
    byoc_only_in_all(${name})
  endif()
endforeach()
# Functions of real numbers over all of float32, those of this backend and those on the vectors of MVE.
foreach(case native:llvm,c host:llvm,c aarch64-linux-gnu:llvm,c cortex-m55:c)
  string(REPLACE ":" ";" case ${case})
  list(GET case 0 target)
  list(GET case 1 order)
  add_test(NAME e2e.llvm.functions.${target}
           COMMAND ${layers_python} ${CMAKE_CURRENT_LIST_DIR}/functions_test.py $<TARGET_FILE:byoc> ${target} --prefer ${order})
  set_tests_properties(e2e.llvm.functions.${target} PROPERTIES SKIP_RETURN_CODE 77 LABELS "e2e" TIMEOUT 600)
  if(target STREQUAL aarch64-linux-gnu)
    byoc_only_in_all(e2e.llvm.functions.${target})
  endif()
endforeach()
# The random layers of e2e.layers, of every type, with this backend first: where bytes are added up by VNNI or in pairs, by
# SMMLA, and one by one.
if(TARGET e2e_layers)
  file(READ ${PROJECT_SOURCE_DIR}/toolchains/aarch64-linux-gnu.json i8mm)
  string(REPLACE "\"name\": \"aarch64-linux-gnu\"" "\"name\": \"i8mm\"" i8mm "${i8mm}")
  string(REPLACE "generic" "ampere1" i8mm "${i8mm}")
  string(REPLACE "\"isa\": [" "\"isa\": [\"dotprod\", \"i8mm\", " i8mm "${i8mm}")
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/i8mm.json "${i8mm}")
  foreach(case native:12 ${CMAKE_CURRENT_BINARY_DIR}/i8mm.json:4 riscv64gcv:4)
    string(REPLACE ":" ";" case ${case})
    list(GET case 0 target)
    list(GET case 1 count)
    get_filename_component(name ${target} NAME_WE)
    add_test(NAME e2e.llvm.sweep.${name} COMMAND ${CMAKE_COMMAND} -E env BYOC_SWEEP_BACKEND=llvm BYOC_SWEEP_TARGET=${target} BYOC_SWEEP_CASES=${count}
                                                 $<TARGET_FILE:e2e_layers> --gtest_filter=All/Layers.agrees/*conv*_host_clang:*.agrees/*arithmetic*_host_clang:*.agrees/*fully*_host_clang:*.agrees/*matmul*_host_clang)
    set_tests_properties(e2e.llvm.sweep.${name} PROPERTIES LABELS "e2e" TIMEOUT 600)
    byoc_only_in_all(e2e.llvm.sweep.${name})
  endforeach()
endif()
# Threads give the same bits as none.
add_test(NAME e2e.llvm.threads COMMAND ${layers_python} ${CMAKE_CURRENT_LIST_DIR}/threads_test.py $<TARGET_FILE:byoc>)
set_tests_properties(e2e.llvm.threads PROPERTIES SKIP_RETURN_CODE 77 LABELS "e2e" TIMEOUT 600)
byoc_only_in_all(e2e.llvm.threads)
# Several levels of x86-64 in one library.
find_program(qemu_x86_64 qemu-x86_64)
add_test(NAME e2e.llvm.multiversion COMMAND ${layers_python} ${CMAKE_CURRENT_LIST_DIR}/multiversion_test.py $<TARGET_FILE:byoc>
                                            $<$<BOOL:${qemu_x86_64}>:${qemu_x86_64}>)
set_tests_properties(e2e.llvm.multiversion PROPERTIES SKIP_RETURN_CODE 77 LABELS "e2e" TIMEOUT 600)
