# ESP32-S3, Xtensa LX7 with windowed registers and its single precision FPU. The same flags as esp32s3.json.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR xtensa)
set(CMAKE_C_COMPILER xtensa-esp32s3-elf-gcc)
set(CMAKE_CXX_COMPILER xtensa-esp32s3-elf-g++)
set(CMAKE_ASM_COMPILER xtensa-esp32s3-elf-gcc)

set(CMAKE_C_FLAGS_INIT "-mabi=windowed -mlongcalls")
set(CMAKE_CXX_FLAGS_INIT "-mabi=windowed -mlongcalls")
set(CMAKE_ASM_FLAGS_INIT "-mabi=windowed -mlongcalls")

# A bare-metal program does not link without a linker script.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)

# What byoc_add_model() builds for when it is not told.
set(BYOC_TARGET esp32s3)
