// Verdicts on nodes, put shortly.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "byoc/codegen.hpp"

namespace byoc::nodes {

[[nodiscard]] inline codegen::Verdict claim() { return {true, codegen::Reason::none, {}}; }

// `text` for a person: "found i16, expected f32 or i8".
[[nodiscard]] inline codegen::Verdict refuse(codegen::Reason reason, std::string text) {
  return {false, reason, std::move(text)};
}

// "found i16, expected f32 or i8"
[[nodiscard]] inline codegen::Verdict refuse_dtype(DType found, std::string_view expected) {
  return refuse(codegen::Reason::unsupported_dtype,
                "found " + std::string(to_string(found)) + ", expected " + std::string(expected));
}

}  // namespace byoc::nodes
