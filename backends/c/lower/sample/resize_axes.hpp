// The source positions of the elements of a resized axis.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backends/c/lower/move/movement.hpp"

namespace byoc::c {

struct ResizeAxis {
  std::int64_t in = 1, out = 1;
  double scale = 1;
  double start = 0, end = 1;  // of the region that tf_crop_and_resize takes
  bool computed = false;      // scale, start and end are known at run time
  [[nodiscard]] bool resized() const { return computed || in != out || scale != 1 || start != 0 || end != 1; }
};

struct ResizeNode {
  std::string mode, transform, nearest;
  double cubic_a = -0.75;
  bool antialias = false, exclude_outside = false;
  float extrapolation = 0;
  bool tflite = false;             // positions are formed in float32
  std::vector<ResizeAxis> axes;    // one for each dim
  std::vector<std::size_t> named;  // those that operands speak of, in their order
  bool computed = false;           // operands are known at run time
};

// Nullopt, with the reason, if operands do not fit.
[[nodiscard]] std::optional<ResizeNode> read_resize(const codegen::Region&, const codegen::Node&, std::string& why);

// The nearest element of each output element; -1 where it is the extrapolation value.
[[nodiscard]] std::vector<std::int32_t> nearest_elements(const ResizeNode&, const ResizeAxis&);

// Taps of all output elements: first[o] is the element that weights[tap[o]] belongs to; no tap for the extrapolation.
struct ResizeTaps {
  std::vector<std::int32_t> first, tap;
  std::vector<double> weights;
};
[[nodiscard]] ResizeTaps interpolation_taps(const ResizeNode&, const ResizeAxis&);

}  // namespace byoc::c
