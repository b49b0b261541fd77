# 32-bit x86 Linux, with SSE2 so that floats are rounded as everywhere else. The same flags as i386-linux-gnu.json.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR i686)
set(CMAKE_C_COMPILER i686-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER i686-linux-gnu-g++)
set(CMAKE_ASM_COMPILER i686-linux-gnu-gcc)

set(CMAKE_C_FLAGS_INIT "-march=pentium4 -mfpmath=sse -msse2")
set(CMAKE_CXX_FLAGS_INIT "-march=pentium4 -mfpmath=sse -msse2")
set(CMAKE_ASM_FLAGS_INIT "-march=pentium4 -mfpmath=sse -msse2")

set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)

# What byoc_add_model() builds for when it is not told.
set(BYOC_TARGET i386-linux-gnu)
