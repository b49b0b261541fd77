# Linux on x86-64 with SSE4.2 (2009 and later). The same flags as x86-64-v2.json.
set(CMAKE_C_COMPILER gcc)
set(CMAKE_CXX_COMPILER g++)
set(CMAKE_ASM_COMPILER gcc)

set(CMAKE_C_FLAGS_INIT "-march=x86-64-v2")
set(CMAKE_CXX_FLAGS_INIT "-march=x86-64-v2")
set(CMAKE_ASM_FLAGS_INIT "-march=x86-64-v2")

# What byoc_add_model() builds for when it is not told.
set(BYOC_TARGET x86-64-v2)
