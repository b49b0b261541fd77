// A unit lowered for a part of its rows, by the lowerings that compute whole tensors.
#pragma once

#include <optional>

#include "backends/c/emitter.hpp"
#include "backends/layers/stripes/arena.hpp"

namespace byoc::c {

class PartLowering {
 public:
  // The region as lowerings see it, and the kernels that its nodes take.
  PartLowering(const codegen::Request&, const codegen::Region&, const ChosenKernels&);

  // A lowered unit: a step over images of that many rows, and its definition as a static function.
  struct Part {
    codegen::Step step;
    StepText text;
  };
  // `to` gets its constants and kernels, each constant once (KnownConstants); null: nobody does. Null: no lowering
  // takes it in this form, or what it makes is more than one step.
  [[nodiscard]] std::optional<Part> lower(const Unit&, const UnitRows&, codegen::Host* to);

 private:
  const codegen::Request& request_;
  const codegen::Region& whole_;
  const ChosenKernels& chosen_;
  codegen::Region scratch_;  // values as in the whole, nodes without operands but for the unit being lowered
  KnownConstants known_;
};

// The workspaces of units, as `parts`, which outlives it, gives them.
[[nodiscard]] PartWorkspace workspaces_of(PartLowering& parts);

}  // namespace byoc::c
