# Each family of operators is a program of its own on each target.
if(NOT TARGET byoc_simulate)
  return()
endif()
byoc_test_program(e2e_layers APART "/onnx/" "/tflite/" DEPENDS simulate export export_executors evaluate reference tflite_schema
                  LINK ${BYOC_ONNX_PROTO} protobuf::libprotobuf)
target_compile_definitions(e2e_layers PRIVATE ONNX_API=)
# The core set has each family for Cortex-M4; the whole set repeats them by further compilers and for further CPUs.
set(repeated *_host_gcc:*_host_clang:*_cortex_m55:*_cortex_m0plus:*_riscv32imc)
gtest_discover_tests(e2e_layers TEST_PREFIX "e2e.layers." TEST_FILTER -${repeated} PROPERTIES LABELS e2e TIMEOUT 600
                     DISCOVERY_TIMEOUT 60)
gtest_discover_tests(e2e_layers TEST_PREFIX "e2e.layers." TEST_FILTER ${repeated} TEST_LIST e2e_layers_repeated
                     PROPERTIES LABELS all TIMEOUT 600 DISCOVERY_TIMEOUT 60)
# Kernels that differ by the vectors of a host: those of this machine, and AArch64's.
foreach(target native aarch64-linux-gnu)
  add_test(NAME e2e.layers.vectors.${target} COMMAND ${CMAKE_COMMAND} -E env BYOC_SWEEP_TARGET=${target} BYOC_SWEEP_CASES=40
                                                     $<TARGET_FILE:e2e_layers> --gtest_filter=*.agrees/onnx*conv*_host_clang:*.agrees/onnx_matmul_host_clang)
  set_tests_properties(e2e.layers.vectors.${target} PROPERTIES LABELS "e2e" TIMEOUT 600)
endforeach()
byoc_only_in_all(e2e.layers.vectors.native e2e.layers.vectors.aarch64-linux-gnu)
