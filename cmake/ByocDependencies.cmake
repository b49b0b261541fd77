# Everything from outside, from Debian packages; nothing is downloaded.
find_package(Threads REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Protobuf REQUIRED)
find_package(FlatBuffers REQUIRED CONFIG)
find_package(PkgConfig REQUIRED)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)

if(BYOC_WITH_LLVM)
  list(APPEND CMAKE_PREFIX_PATH /usr/lib/llvm-19)
  find_package(LLVM 19.1 REQUIRED CONFIG)
  find_package(Clang 19.1 REQUIRED CONFIG)
  find_package(LLD 19.1 REQUIRED CONFIG)
endif()

if(BYOC_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()
