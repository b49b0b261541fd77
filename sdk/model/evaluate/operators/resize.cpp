// Resize: each axis sampled at new positions, one axis after another, the one that shrinks most first.
//
// Positions and weights are formed in double; weights are rounded to float32 (to double for f64), and sums are formed
// in that type, tap by tap. Between the axes nothing is rounded further; at the end integers are rounded and saturate.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "sdk/model/evaluate/index.hpp"
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/interpolation.hpp"
#include "sdk/model/evaluate/operators/movement.hpp"
#include "sdk/model/evaluate/operators/tflite.hpp"

namespace byoc::evaluate {
namespace {

struct Axis {
  std::int64_t in = 1, out = 1;
  double scale = 1;           // output length / input length, as the model has it
  double start = 0, end = 1;  // of the region that tf_crop_and_resize takes
  [[nodiscard]] bool resized() const { return in != out || scale != 1 || start != 0 || end != 1; }
};

struct ResizeSettings {
  std::string mode, transform, nearest;
  double cubic_a = -0.75;
  bool antialias = false, exclude_outside = false;
  float extrapolation = 0;
};

Result<ResizeSettings> read_resize_settings(const Call& call) {
  const ir::Node& n = call.node;
  ResizeSettings s{n.text("mode", "nearest"),
                   n.text("coordinate_transformation_mode", "half_pixel"),
                   n.text("nearest_mode", "round_prefer_floor"),
                   n.real("cubic_coeff_a", -0.75F),
                   n.integer("antialias", 0) != 0,
                   n.integer("exclude_outside", 0) != 0,
                   n.real("extrapolation_value", 0)};
  const auto one_of = [](const std::string& text, std::initializer_list<const char*> list) {
    return std::any_of(list.begin(), list.end(), [&](const char* t) { return text == t; });
  };
  if (!one_of(s.mode, {"nearest", "linear", "cubic"})) return call.error("unknown mode", s.mode);
  if (!one_of(s.transform, {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric",
                            "tf_half_pixel_for_nn", "tf_crop_and_resize"}))
    return call.error("unknown coordinate_transformation_mode", s.transform);
  if (!one_of(s.nearest, {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "simple"}))
    return call.error("unknown nearest_mode", s.nearest);
  return s;
}

// Operand `input` with one number for each resized axis, empty if it is not given or has no element.
Result<std::vector<double>> per_axis(const Call& call, std::size_t input, std::size_t count) {
  std::vector<double> out;
  if (call.find(input) == nullptr || call.in(input).type.elements() == 0) return out;
  out = reals(call.in(input));
  if (out.size() != count)
    return call.error("input " + std::to_string(input) + " has the wrong length", describe(call.in(input)),
                      std::to_string(count));
  return out;
}

constexpr double kMost = 2147483647;

Result<std::vector<Axis>> read_resize_axes(const Call& call, const ResizeSettings& settings) {
  const Dims& from = *call.in(0).type.dims;
  Dims all(from.size());
  std::iota(all.begin(), all.end(), 0);
  const Dims axes = call.node.integers("axes", all);
  const bool crops = settings.transform == "tf_crop_and_resize";
  const auto roi = crops ? per_axis(call, 1, 2 * axes.size()) : Result<std::vector<double>>(std::vector<double>{});
  const auto scales = per_axis(call, 2, axes.size());
  const auto sizes = per_axis(call, 3, axes.size());
  if (!roi || !scales || !sizes) return failure;
  if (scales->empty() == sizes->empty() && !axes.empty()) return call.error("needs either scales or sizes");
  if (crops && roi->empty() && !axes.empty()) return call.error("tf_crop_and_resize needs a roi");
  std::vector<Axis> out(from.size());
  for (std::size_t d = 0; d < from.size(); ++d) out[d].in = out[d].out = from[d];
  const std::string policy = call.node.text("keep_aspect_ratio_policy", "stretch");
  if (policy != "stretch" && policy != "not_larger" && policy != "not_smaller")
    return call.error("unknown keep_aspect_ratio_policy", policy);
  std::optional<double> common;
  std::vector<bool> named(from.size(), false);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Result<std::size_t> d = call.axis(axes[i], from.size());
    if (!d) return failure;
    if (named[*d]) return call.error("an axis is named twice", std::to_string(axes[i]));
    named[*d] = true;
    Axis& a = out[*d];
    if (crops) {
      a.start = (*roi)[i];
      a.end = (*roi)[i + axes.size()];
    }
    if (!scales->empty()) {
      a.scale = (*scales)[i];
      // The product in float32, as ONNX's shape inference and ONNX Runtime form it.
      const float length = std::floor(static_cast<float>(a.scale) * static_cast<float>(a.in));
      if (!(a.scale > 0) || !(length >= 0 && length < static_cast<float>(kMost)))
        return call.error("scale out of range", std::to_string(a.scale));
      a.out = static_cast<std::int64_t>(length);
    } else {
      const double size = (*sizes)[i];
      if (!(size >= 0 && size <= kMost) || (a.in == 0 && size != 0))
        return call.error("size out of range", std::to_string(size));
      a.out = static_cast<std::int64_t>(size);
      a.scale = a.in == 0 ? 1 : size / static_cast<double>(a.in);
      if (!common || (policy == "not_larger" ? a.scale < *common : a.scale > *common)) common = a.scale;
    }
    if (a.in == 0 && a.out != 0) return call.error("cannot sample an empty dim", describe(call.in(0)));
  }
  if (policy != "stretch" && common)
    for (std::size_t i = 0; i < axes.size(); ++i) {
      Axis& a = out[*call.axis(axes[i], from.size())];
      a.scale = *common;
      a.out = static_cast<std::int64_t>(std::min(kMost, std::floor(*common * static_cast<double>(a.in) + 0.5)));
    }
  return out;
}

// The position in the input of output position `position`.
double original(const Axis& a, const std::string& transform, std::int64_t position) {
  const auto x = static_cast<double>(position);
  const auto in = static_cast<double>(a.in);
  const double length = a.scale * in;  // of the output, before it is rounded down
  if (transform == "align_corners") return length == 1 ? 0 : x * (in - 1) / (length - 1);
  if (transform == "asymmetric") return x / a.scale;
  if (transform == "tf_half_pixel_for_nn") return (x + 0.5) / a.scale;
  if (transform == "pytorch_half_pixel" && !(length > 1)) return 0;
  if (transform == "tf_crop_and_resize")
    return length > 1 ? a.start * (in - 1) + x * (a.end - a.start) * (in - 1) / (length - 1)
                      : 0.5 * (a.start + a.end) * (in - 1);
  if (transform == "half_pixel_symmetric")
    return in / 2 * (1 - static_cast<double>(a.out) / length) + (x + 0.5) / a.scale - 0.5;
  return (x + 0.5) / a.scale - 0.5;
}

// The element that is nearest. Decided in float32: scales are float32, and what they leave over must not tip the
// balance.
std::int64_t nearest(const Axis& a, const std::string& how, double exact) {
  const auto x = static_cast<double>(static_cast<float>(exact));
  double at = std::floor(x);
  if (how == "ceil" || (how == "simple" && a.scale < 1)) at = std::ceil(x);
  if (how == "round_prefer_floor") at = std::ceil(x - 0.5);
  if (how == "round_prefer_ceil") at = std::floor(x + 0.5);
  return static_cast<std::int64_t>(std::clamp(at, 0.0, static_cast<double>(a.in - 1)));
}

struct Tap {
  std::int64_t at;
  double weight;
};

// The samples around `x` with weights that sum to one, by element: what lies outside counts for the edge.
std::vector<Tap> taps_at(const Axis& a, const ResizeSettings& s, double x) {
  const auto left = static_cast<std::int64_t>(std::floor(x));
  const double ratio = x - std::floor(x);
  const double stretch = s.antialias ? std::min(a.scale, 1.0) : 1.0;  // antialias widens the filter where it shrinks
  const double reach = s.mode == "linear" ? 1 : 2;
  std::vector<Tap> out;
  double sum = 0;
  const auto first = static_cast<std::int64_t>(std::floor(-reach / stretch)) + 1;
  for (std::int64_t i = first; i < 2 - first; ++i) {
    const double d = std::fabs((static_cast<double>(i) - ratio) * stretch);
    const double c = s.cubic_a;
    double weight = std::max(0.0, 1 - d);
    if (s.mode == "cubic")
      weight = d <= 1 ? ((c + 2) * d - (c + 3)) * d * d + 1 : d < 2 ? ((c * d - 5 * c) * d + 8 * c) * d - 4 * c : 0;
    const bool outside = left + i < 0 || left + i >= a.in;
    if (s.exclude_outside && outside) weight = 0;
    const std::int64_t at = std::clamp<std::int64_t>(left + i, 0, a.in - 1);
    if (out.empty() || out.back().at != at) out.push_back({at, 0});
    out.back().weight += weight;
    sum += weight;
  }
  std::erase_if(out, [](const Tap& t) { return t.weight == 0; });
  if (s.antialias || s.exclude_outside)
    for (Tap& t : out) t.weight /= sum;
  return out;
}

bool outside(const Axis& a, const ResizeSettings& s, double x) {
  return s.transform == "tf_crop_and_resize" && (x < 0 || x > static_cast<double>(a.in - 1));
}

// Samples axis `d` of a tensor of `dims`.
template <class R>
std::vector<R> resample(const std::vector<R>& x, const Dims& dims, std::size_t d, const Axis& a,
                        const ResizeSettings& s) {
  std::int64_t outer = 1, inner = 1;
  for (std::size_t i = 0; i < dims.size(); ++i) (i < d ? outer : inner) *= i == d ? 1 : dims[i];
  std::vector<R> y(static_cast<std::size_t>(outer * a.out * inner));
  for (std::int64_t o = 0; o < a.out; ++o) {
    const double at = original(a, s.transform, o);
    const bool extrapolates = outside(a, s, at);
    const std::vector<Tap> taps = extrapolates ? std::vector<Tap>{} : taps_at(a, s, at);
    for (std::int64_t p = 0; p < outer; ++p)
      for (std::int64_t i = 0; i < inner; ++i) {
        R sum{0};
        for (const Tap& t : taps)
          sum += static_cast<R>(t.weight) * x[static_cast<std::size_t>((p * a.in + t.at) * inner + i)];
        y[static_cast<std::size_t>((p * a.out + o) * inner + i)] = extrapolates ? static_cast<R>(s.extrapolation) : sum;
      }
  }
  return y;
}

template <class R>
Outcome interpolate(const Call& call, const std::vector<Axis>& axes, const ResizeSettings& settings, const Dims& out) {
  std::vector<std::size_t> order;
  for (std::size_t d = 0; d < axes.size(); ++d)
    if (axes[d].resized()) order.push_back(d);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return axes[a].out * axes[b].in < axes[b].out * axes[a].in; });
  std::vector<R> values = reals<R>(call.in(0));
  Dims dims = *call.in(0).type.dims;
  for (const std::size_t d : order) {
    values = resample(values, dims, d, axes[d], settings);
    dims[d] = axes[d].out;
  }
  if (is_integer(call.in(0).type.dtype))
    for (R& v : values) v = std::nearbyint(v);
  return single(call.from_reals(call.in(0).type.dtype, out, std::span<const R>(values)));
}

Outcome pick(const Call& call, const std::vector<Axis>& axes, const ResizeSettings& s, const Dims& out) {
  const Result<Mover> mover = Mover::make(call, 0);
  if (!mover || !check_moved_quantisation(call, 0)) return failure;
  Result<Buffer> y = call.allocate(call.in(0).type.dtype, out);
  if (!y) return failure;
  std::int64_t extrapolated = 0;
  (void)dispatch(call.in(0).type.dtype, [&]<class T>() {
    const T value = narrow<T>(static_cast<double>(s.extrapolation));
    std::memcpy(&extrapolated, &value, sizeof value);
  });
  const Dims read = row_major_strides(*call.in(0).type.dims), write = row_major_strides(out);
  for (std::int64_t i = 0; i < y->type.elements(); ++i) {
    std::int64_t at = 0;
    bool is_outside = false;
    for (std::size_t d = 0; d < axes.size(); ++d) {
      std::int64_t n = i / write[d] % out[d];
      if (axes[d].resized()) {
        const double x = original(axes[d], s.transform, n);
        is_outside = is_outside || outside(axes[d], s, x);
        n = nearest(axes[d], s.nearest, x);
      }
      at += n * read[d];
    }
    if (is_outside)
      mover->set(*y, i, reinterpret_cast<const std::byte*>(&extrapolated));
    else
      mover->copy(call.in(0), at, *y, i);
  }
  return single(std::move(*y));
}

}  // namespace

Outcome resize(const Call& call) {
  if (call.tflite()) return resize_tflite(call);
  const Result<ResizeSettings> settings = read_resize_settings(call);
  if (!settings) return failure;
  const auto axes = read_resize_axes(call, *settings);
  if (!axes) return failure;
  Dims out;
  for (const Axis& a : *axes) out.push_back(a.out);
  if (!call.check_count(out)) return failure;
  if (settings->mode == "nearest") return pick(call, *axes, *settings, out);
  const DType dtype = call.in(0).type.dtype;
  if (!is_float(dtype) && !is_integer(dtype)) return call.unsupported_dtype(0, "a number");
  if (call.quantisation_of(0) != nullptr || call.quantisation_of_output() != nullptr)
    return call.error("does not interpolate quantised values", settings->mode, "nearest");
  if (std::none_of(axes->begin(), axes->end(), [](const Axis& a) { return a.resized(); })) return same_bytes(call, out);
  return dtype == DType::f64 ? interpolate<double>(call, *axes, *settings, out)
                             : interpolate<float>(call, *axes, *settings, out);
}

}  // namespace byoc::evaluate
