# AArch64 Linux. The same flags as aarch64-linux-gnu.json.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_ASM_COMPILER aarch64-linux-gnu-gcc)

set(CMAKE_C_FLAGS_INIT "-mcpu=generic")
set(CMAKE_CXX_FLAGS_INIT "-mcpu=generic")
set(CMAKE_ASM_FLAGS_INIT "-mcpu=generic")

set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)

# What byoc_add_model() builds for when it is not told.
set(BYOC_TARGET aarch64-linux-gnu)
