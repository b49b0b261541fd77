// Quantisation per tensor or per axis, looked up by element.
#pragma once

#include <vector>

#include "sdk/model/evaluate/quantise.hpp"

namespace byoc::evaluate {

class AxisQuantisation {
 public:
  AxisQuantisation(std::vector<Affine> parameters, std::size_t inner)
      : parameters_(std::move(parameters)), inner_(inner) {}
  // The parameters of element `i` of the row-major tensor.
  [[nodiscard]] const Affine& at(std::size_t i) const { return parameters_[i / inner_ % parameters_.size()]; }

 private:
  std::vector<Affine> parameters_;
  std::size_t inner_;  // elements between neighbours along the axis
};

// Errors: an element type that is no quantised integer (8, 16 or 32 bits), counts that do not fit, an axis out of
// range, scales or zero points out of range.
Result<AxisQuantisation> axis_quantisation(const Call& call, const Quantisation& q, DType dtype, const Dims& dims);

}  // namespace byoc::evaluate
