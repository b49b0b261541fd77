# RV64GCV without an operating system, with picolibc. The same flags as riscv64gcv.json.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR riscv)
set(CMAKE_C_COMPILER riscv64-unknown-elf-gcc)
set(CMAKE_CXX_COMPILER riscv64-unknown-elf-g++)
set(CMAKE_ASM_COMPILER riscv64-unknown-elf-gcc)

set(CMAKE_C_FLAGS_INIT "-march=rv64gcv -mabi=lp64d -mcmodel=medany --specs=picolibc.specs")
set(CMAKE_CXX_FLAGS_INIT "-march=rv64gcv -mabi=lp64d -mcmodel=medany --specs=picolibc.specs")
set(CMAKE_ASM_FLAGS_INIT "-march=rv64gcv -mabi=lp64d -mcmodel=medany --specs=picolibc.specs")

# A bare-metal program does not link without a linker script.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)

# What byoc_add_model() builds for when it is not told.
set(BYOC_TARGET riscv64gcv)
