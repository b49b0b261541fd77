byoc_unit_test(backend_c DEPENDS reference evaluate ir optimise plugin support)
target_sources(unit_backend_c PRIVATE ${PROJECT_SOURCE_DIR}/tests/support/generated_program.cpp)
