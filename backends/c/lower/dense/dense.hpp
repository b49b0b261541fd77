// Products of computed rows with a constant matrix: FullyConnected, Gemm and MatMul on f32.
#pragma once

#include <span>
#include <vector>

#include "backends/c/emitter.hpp"
#include "backends/c/lower/step/extent.hpp"

namespace byoc::c {

struct Dense {
  Extent rows = 0;
  std::int64_t depth = 0, units = 0;
  codegen::ValueId weights = codegen::kNoValue;  // element (unit, k) at unit * unit_stride + k * depth_stride
  std::vector<float> own_weights = {};           // instead of those of the value, in the same order; empty: none
  std::int64_t unit_stride = 0, depth_stride = 0;
  std::vector<float> bias;  // one for each unit; empty: none

  // Applies Gemm's factors: alpha times `w`, the constant of the weights, and beta times `c`, one element or one for
  // each unit.
  void scale(const codegen::Value& w, float alpha, const codegen::Value* c, float beta);
};

// Emits the step that reads the node's first input, and fuses what follows.
void lower_dense(Emitter&, const codegen::Node&, const Dense&);

}  // namespace byoc::c
