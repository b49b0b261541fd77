# The machine that byoc runs on (x86-64 Linux). The same flags as host.json.
set(CMAKE_C_COMPILER gcc)
set(CMAKE_CXX_COMPILER g++)
set(CMAKE_ASM_COMPILER gcc)

set(CMAKE_C_FLAGS_INIT "-march=x86-64")
set(CMAKE_CXX_FLAGS_INIT "-march=x86-64")
set(CMAKE_ASM_FLAGS_INIT "-march=x86-64")

# What byoc_add_model() builds for when it is not told.
set(BYOC_TARGET host)
