// The operators that the C backend compiles: a table of lowerings, one file an operator in lower/.
#pragma once

#include <span>
#include <string_view>

#include "backends/c/emitter.hpp"

namespace byoc::c {

struct Lowering {
  std::string_view domain;
  std::string_view op;
  // Can this node be compiled for this target, and if not, why.
  codegen::Verdict (*accepts)(const codegen::Region&, const codegen::Node&, const TargetSpec&);
  // Emits it. False after Emitter::error.
  bool (*lower)(Emitter&, const codegen::Node&);
};

[[nodiscard]] std::span<const Lowering> lowerings();
[[nodiscard]] const Lowering* find_lowering(std::string_view domain, std::string_view op);

[[nodiscard]] inline codegen::Verdict claim() { return {true, codegen::Reason::none, {}}; }
[[nodiscard]] inline codegen::Verdict refuse(codegen::Reason reason, std::string text) {
  return {false, reason, std::move(text)};
}

}  // namespace byoc::c
