// The functions that operators compute of the elements at one place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "backends/llvm/ir/code.hpp"
#include "byoc/codegen.hpp"

namespace byoc::bitcode {

struct Function {
  std::string_view op;
  std::size_t operands;
  Value (*compute)(Code&, const codegen::Node&, const Values&, std::int64_t lanes);
};

// Null for an operator that is none of them.
[[nodiscard]] const Function* find_function(const codegen::Node& node);
// Text that two nodes have in common if, and only if, they compute the same function.
[[nodiscard]] std::string function_key(const codegen::Node& node);

}  // namespace byoc::bitcode
