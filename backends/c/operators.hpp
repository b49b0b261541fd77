// The operators that the C backend compiles: a table of lowerings, one file an operator in lower/.
#pragma once

#include <span>
#include <string_view>

#include "backends/c/costs/kernel_option.hpp"
#include "backends/c/emitter.hpp"

namespace byoc::c {

// A node before anything is lowered.
struct LayerQuestion {
  const codegen::Region& region;
  const TargetSpec& target;
  Objective objective = Objective::balanced;
  std::uint32_t attempt = 0;  // of codegen::Request
};

struct Lowering {
  std::string_view domain;
  std::string_view op;
  // Can this node be compiled for this target, and if not, why.
  codegen::Verdict (*accepts)(const codegen::Region&, const codegen::Node&, const TargetSpec&);
  // Emits it. False after Emitter::error.
  bool (*lower)(Emitter&, const codegen::Node&);
  // The kernels there are for it, with their work; empty where there is no choice and no estimate. May be null.
  // Emitter::chosen then says which.
  std::vector<KernelOption> (*options)(const LayerQuestion&, const codegen::Node&) = nullptr;
};

[[nodiscard]] std::span<const Lowering> lowerings();
[[nodiscard]] const Lowering* find_lowering(std::string_view domain, std::string_view op);

[[nodiscard]] inline codegen::Verdict claim() { return {true, codegen::Reason::none, {}}; }
[[nodiscard]] inline codegen::Verdict refuse(codegen::Reason reason, std::string text) {
  return {false, reason, std::move(text)};
}

}  // namespace byoc::c
