// The operators that the C backend compiles: a table of lowerings (operators.inc), one file an operator in lower/.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "backends/c/emitter.hpp"
#include "backends/layers/kernel_option.hpp"
#include "backends/layers/operator_traits.hpp"
#include "byoc/nodes/verdict.hpp"

namespace byoc::c {

// A node before anything is lowered.
struct LayerQuestion {
  const codegen::Region& region;
  const TargetSpec& target;
  Objective objective = Objective::balanced;
  std::uint32_t attempt = 0;  // of codegen::Request
};

// Properties of an operator that the backend's passes ask for.
enum Trait : std::uint8_t {
  kPlain = 0,
  // Floats are the evaluator's, bit for bit: it moves elements, chooses among them, or does one operation of IEEE 754.
  // All others sum in an order of their own, or call the elementary functions of the target's C library.
  kExactFloats = 1 << 0,
  kElementwise = 1 << 1,  // of the elements at the same place alone, after broadcasting
  kPool = 1 << 2,         // of those in a window that slides over the image, each channel by itself
  kOpenDims = 1 << 3,     // plain values may have dims that only a run knows
};

struct Lowering {
  std::string_view domain;
  std::string_view op;
  // Can this node be compiled for this target, and if not, why.
  codegen::Verdict (*accepts)(const codegen::Region&, const codegen::Node&, const TargetSpec&);
  // Emits it. False after Emitter::error.
  bool (*lower)(Emitter&, const codegen::Node&);
  std::uint8_t traits = kPlain;
  // The kernels there are for it, with their work; empty where there is no choice and no estimate. May be null.
  // Emitter::chosen then says which.
  std::vector<KernelOption> (*options)(const LayerQuestion&, const codegen::Node&) = nullptr;
};

// Ordered by domain and name.
[[nodiscard]] std::span<const Lowering> lowerings();
// Null for an operator that the backend does not have.
[[nodiscard]] const Lowering* find_lowering(std::string_view domain, std::string_view op);
// False for an operator that the backend does not have.
[[nodiscard]] bool has_trait(const codegen::Node&, Trait);
// The traits for the passes that backends share.
[[nodiscard]] OperatorTraits operator_traits();

}  // namespace byoc::c
