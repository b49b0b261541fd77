#include "backends/c/lower/sample/resize_axes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "backends/c/lower/sample/resize_tflite.hpp"
#include "backends/c/lower/step/element_type.hpp"
#include "backends/c/lower/step/operands.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Region;
using codegen::Value;

// An operand; null where it is not given or empty.
const Value* numbers_of(const Region& region, const Node& node, std::size_t input) {
  const Value* v = given_input(region, node, input);
  return v == nullptr || v->elements() == 0 ? nullptr : v;
}

std::size_t count_of(const Value* v) { return v == nullptr ? 0 : static_cast<std::size_t>(v->elements()); }

std::vector<double> numbers(const Value* v) {
  std::vector<double> out;
  out.reserve(count_of(v));
  for (std::size_t i = 0; i < count_of(v); ++i) out.push_back(real_element(*v, i));
  return out;
}

bool one_of(const std::string& text, std::initializer_list<const char*> list) {
  return std::any_of(list.begin(), list.end(), [&](const char* t) { return text == t; });
}

bool read_settings(const Node& node, ResizeNode& r, std::string& why) {
  r.mode = node.text("mode", "nearest");
  r.transform = node.text("coordinate_transformation_mode", "half_pixel");
  r.nearest = node.text("nearest_mode", "round_prefer_floor");
  r.cubic_a = static_cast<double>(node.real("cubic_coeff_a", -0.75F));
  r.antialias = node.integer("antialias", 0) != 0;
  r.exclude_outside = node.integer("exclude_outside", 0) != 0;
  r.extrapolation = node.real("extrapolation_value", 0);
  if (!one_of(r.mode, {"nearest", "linear", "cubic"}))
    why = "found mode " + r.mode + ", expected nearest, linear or cubic";
  else if (!one_of(r.transform, {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
                                 "asymmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize"}))
    why = "found coordinate_transformation_mode " + r.transform;
  else if (!one_of(r.nearest, {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "simple"}))
    why = "found nearest_mode " + r.nearest;
  return why.empty();
}

// Position `i` of the new axis in the old one.
double original(const ResizeNode& r, const ResizeAxis& a, std::int64_t i) {
  const double x = static_cast<double>(i), in = static_cast<double>(a.in), length = a.scale * in;
  if (r.transform == "align_corners") return length == 1 ? 0 : x * (in - 1) / (length - 1);
  if (r.transform == "asymmetric") return x / a.scale;
  if (r.transform == "tf_half_pixel_for_nn") return (x + 0.5) / a.scale;
  if (r.transform == "pytorch_half_pixel" && !(length > 1)) return 0;
  if (r.transform == "tf_crop_and_resize" && !(length > 1)) return 0.5 * (a.start + a.end) * (in - 1);
  if (r.transform == "tf_crop_and_resize") return a.start * (in - 1) + x * (a.end - a.start) * (in - 1) / (length - 1);
  // The output is shorter than input and scale say by what was rounded off: its middle stays that of the input.
  if (r.transform == "half_pixel_symmetric")
    return in / 2 * (1 - static_cast<double>(a.out) / length) + (x + 0.5) / a.scale - 0.5;
  return (x + 0.5) / a.scale - 0.5;
}

bool is_outside(const ResizeNode& r, const ResizeAxis& a, double x) {
  return r.transform == "tf_crop_and_resize" && (x < 0 || x > static_cast<double>(a.in - 1));
}

double weight(const ResizeNode& r, double distance) {
  if (r.mode == "linear") return std::max(0.0, 1 - distance);
  const double a = r.cubic_a, d = distance;
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

void read_numbers(ResizeNode& r, const std::string& policy, const std::vector<double>& roi,
                  const std::vector<double>& scales, const std::vector<double>& sizes) {
  std::optional<double> common;
  for (std::size_t i = 0; i < r.named.size(); ++i) {
    ResizeAxis& a = r.axes[r.named[i]];
    if (!roi.empty()) {
      a.start = roi[i];
      a.end = roi[i + r.named.size()];
    }
    a.scale = !scales.empty() ? scales[i] : a.in == 0 ? 1 : sizes[i] / static_cast<double>(a.in);
    if (!common || (policy == "not_larger" ? a.scale < *common : a.scale > *common)) common = a.scale;
  }
  if (policy != "stretch" && scales.empty())
    for (const std::size_t d : r.named) r.axes[d].scale = *common;
}

// Checks operands that a run gives.
bool check_computed(ResizeNode& r, const Value* roi, const Value* scales, const Value* sizes, std::string& why) {
  for (const std::size_t d : r.named) r.axes[d].computed = true;
  if (r.tflite)
    why = "found computed sizes, expected constants in a TFLite model";
  else if (scales != nullptr && scales->dtype != DType::f32)
    why = "found computed scales of another type, expected f32";
  else if (sizes != nullptr && sizes->dtype != DType::i64)
    why = "found computed sizes of another type, expected i64";
  else if (roi != nullptr && !is_float_type(roi->dtype))
    why = "found a computed roi of another type, expected a float";
  else if (std::any_of(r.axes.begin(), r.axes.end(), [](const ResizeAxis& a) { return a.in == 0 && a.out != 0; }))
    why = "found an empty dim, expected elements to sample";
  return why.empty();
}

}  // namespace

std::optional<ResizeNode> read_resize(const Region& region, const Node& node, std::string& why) {
  const Value& x = region.values[node.inputs[0]];
  const Value& y = region.values[node.outputs[0]];
  ResizeNode r;
  r.tflite = region.requant == Requant::tflite;
  if (!read_settings(node, r, why)) return std::nullopt;
  Dims axes(x.dims.size());
  std::iota(axes.begin(), axes.end(), 0);
  axes = node.integers("axes", axes);
  const bool crops = r.transform == "tf_crop_and_resize";
  const Value *roi = crops ? numbers_of(region, node, 1) : nullptr, *scales = numbers_of(region, node, 2),
              *sizes = numbers_of(region, node, 3);
  const std::size_t given = std::max(count_of(scales), count_of(sizes));
  if (given != axes.size() || (crops && count_of(roi) != 2 * axes.size()) || y.dims.size() != x.dims.size()) {
    why = "found " + std::to_string(given) + " scales or sizes, expected " + std::to_string(axes.size()) +
          (crops ? " and a roi of twice as many" : "");
    return std::nullopt;
  }
  for (std::size_t d = 0; d < x.dims.size(); ++d) r.axes.push_back({x.dims[d], y.dims[d]});
  for (const std::int64_t axis : axes) {
    const auto d = read_axis(axis, x.dims.size(), why);
    if (!d) return std::nullopt;
    r.named.push_back(*d);
  }
  for (const Value* v : {roi, scales, sizes}) r.computed = r.computed || (v != nullptr && !v->is_constant);
  if (!r.computed)
    read_numbers(r, node.text("keep_aspect_ratio_policy", "stretch"), numbers(roi), numbers(scales), numbers(sizes));
  else if (!check_computed(r, roi, scales, sizes, why))
    return std::nullopt;
  return r;
}

std::vector<std::int32_t> nearest_elements(const ResizeNode& r, const ResizeAxis& a) {
  if (r.tflite) return nearest_tflite(r.transform, a.in, a.out);
  std::vector<std::int32_t> out;
  for (std::int64_t i = 0; i < a.out; ++i) {
    const double exact = original(r, a, i);
    if (is_outside(r, a, exact)) {
      out.push_back(-1);
      continue;
    }
    // Decided in float32, the precision that scales have: what they leave over must not tip the balance.
    const auto x = static_cast<double>(static_cast<float>(exact));
    double at = std::floor(x);
    if (r.nearest == "ceil" || (r.nearest == "simple" && a.scale < 1)) at = std::ceil(x);
    if (r.nearest == "round_prefer_floor") at = std::ceil(x - 0.5);
    if (r.nearest == "round_prefer_ceil") at = std::floor(x + 0.5);
    out.push_back(static_cast<std::int32_t>(std::clamp(at, 0.0, static_cast<double>(a.in - 1))));
  }
  return out;
}

ResizeTaps interpolation_taps(const ResizeNode& r, const ResizeAxis& a) {
  ResizeTaps out;
  // Antialiasing widens the filter where the axis shrinks.
  const double stretch = r.antialias ? std::min(a.scale, 1.0) : 1.0;
  const auto first = static_cast<std::int64_t>(std::floor((r.mode == "linear" ? -1 : -2) / stretch)) + 1;
  for (std::int64_t o = 0; o < a.out; ++o) {
    out.tap.push_back(static_cast<std::int32_t>(out.weights.size()));
    out.first.push_back(0);
    const double x = original(r, a, o);
    if (is_outside(r, a, x)) continue;
    const auto left = static_cast<std::int64_t>(std::floor(x));
    const double ratio = x - std::floor(x);
    std::map<std::int64_t, double> sums;  // by element: what lies outside counts for the edge
    double total = 0;
    for (std::int64_t i = first; i < 2 - first; ++i) {
      const double w = weight(r, std::fabs((static_cast<double>(i) - ratio) * stretch));
      const bool outside = left + i < 0 || left + i >= a.in;
      sums[std::clamp<std::int64_t>(left + i, 0, a.in - 1)] += r.exclude_outside && outside ? 0 : w;
      total += r.exclude_outside && outside ? 0 : w;
    }
    while (sums.size() > 1 && sums.begin()->second == 0) sums.erase(sums.begin());
    while (sums.size() > 1 && sums.rbegin()->second == 0) sums.erase(std::prev(sums.end()));
    out.first.back() = static_cast<std::int32_t>(sums.begin()->first);
    for (const auto& [at, w] : sums)
      out.weights.push_back((r.antialias || r.exclude_outside) && total != 0 ? w / total : w);
  }
  out.tap.push_back(static_cast<std::int32_t>(out.weights.size()));
  return out;
}

}  // namespace byoc::c
