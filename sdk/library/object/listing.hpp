// The functions of an object as assembly, for people.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "byoc/target.hpp"

namespace byoc {

struct FunctionListing {
  std::string name;
  std::string text;  // a line for each instruction or word: "   4  bl #0  ; memcpy", with what it refers to
};

// In the order of the object. Empty for a target whose code is not read, and where the bytes are no object.
[[nodiscard]] std::vector<FunctionListing> list_functions(const TargetSpec& target, std::span<const std::byte> object);

}  // namespace byoc
