# Each family of operators is a program of its own on each target.
if(NOT TARGET byoc_simulate)
  return()
endif()
file(GLOB_RECURSE layers_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cpp)
add_executable(e2e_layers ${layers_sources})
target_include_directories(e2e_layers PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
byoc_warnings(e2e_layers)
target_compile_definitions(e2e_layers PRIVATE ONNX_API=)
byoc_precompiled(e2e_layers TESTS)
target_link_libraries(e2e_layers PRIVATE byoc_simulate byoc_pipeline byoc_evaluate byoc_reference byoc_tflite_schema
                                         ${BYOC_ONNX_PROTO} protobuf::libprotobuf GTest::gtest_main)
gtest_discover_tests(e2e_layers TEST_PREFIX "e2e.layers." PROPERTIES LABELS e2e TIMEOUT 600 DISCOVERY_TIMEOUT 60)
# Kernels that differ by the vectors of a host: those of this machine, and AArch64's.
foreach(target native aarch64-linux-gnu)
  add_test(NAME e2e.layers.vectors.${target} COMMAND ${CMAKE_COMMAND} -E env BYOC_SWEEP_TARGET=${target} BYOC_SWEEP_CASES=40
                                                     $<TARGET_FILE:e2e_layers> --gtest_filter=*.agrees/onnx*conv*_host_clang:*.agrees/onnx_matmul_host_clang)
  set_tests_properties(e2e.layers.vectors.${target} PROPERTIES LABELS "e2e" TIMEOUT 600)
endforeach()
