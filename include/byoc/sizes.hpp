// Sizes of a compiled library. Standard headers only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace byoc {

// Bytes of flash that a library takes, with the gaps of alignment. What the program's other libraries add for it, such
// as memcpy(), is not among them.
struct LibraryFlash {
  std::uint64_t code = 0;       // with tables and strings of its own
  std::uint64_t constants = 0;  // of all flash memories
  [[nodiscard]] std::uint64_t total() const { return code + constants; }
};

// The most stack that a call of the library's public functions takes.
struct StackBound {
  std::uint64_t bytes = 0;      // with the allowance; 0: there is no bound
  std::uint64_t allowance = 0;  // of these, for functions of other libraries, whose code is not there to be read
  std::vector<std::string> allowed_for = {};  // those functions, sorted
  std::string unknown =
      {};  // why there is no bound: "kws_conv_1 calls by a pointer"; "": there is one, or nobody asked
};

// All of it together.
struct LibrarySizes {
  LibraryFlash flash = {};  // nothing for a library of sources
  StackBound stack = {};
  std::vector<std::string> link_libraries = {};  // that a program links besides: "m" for -lm
};

}  // namespace byoc
