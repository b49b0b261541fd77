// byoc.SVDF: products of x with the feature weights enter a history, one row for each filter, whose weighted sums are
// the units' values.
#include <algorithm>
#include <cmath>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/quantise.hpp"

namespace byoc::evaluate {
namespace {

enum : std::size_t { kSvdfX, kFeature, kTime, kState, kBias };

struct SvdfShape {
  std::int64_t batch, depth, filters, memory, rank, units;
};

Result<SvdfShape> read_svdf_shape(const Call& call) {
  for (const std::size_t i : {kSvdfX, kFeature, kTime})
    if (call.in(i).type.dims->size() != 2)
      return call.error("input " + std::to_string(i) + " must have rank 2", describe(call.in(i)));
  const Dims &x = *call.in(kSvdfX).type.dims, &feature = *call.in(kFeature).type.dims,
             &time = *call.in(kTime).type.dims;
  SvdfShape s{x[0], x[1], feature[0], time[1], call.node.integer("rank", 1), 0};
  if (s.rank < 1 || s.filters % s.rank != 0)
    return call.error("the filters are no multiple of the rank",
                      std::to_string(s.filters) + " and " + std::to_string(s.rank));
  s.units = s.filters / s.rank;
  if (feature[1] != s.depth || time[0] != s.filters || s.memory < 1)
    return call.error("the weights do not fit", describe(call.in(kFeature)) + " and " + describe(call.in(kTime)));
  if (call.in(kState).type.elements() != s.batch * s.filters * s.memory)
    return call.error("the state does not fit", describe(call.in(kState)),
                      describe(Dims{s.batch, s.filters * s.memory}));
  if (call.find(kBias) != nullptr && *call.in(kBias).type.dims != Dims{s.units})
    return call.error("the bias must have one element for each unit", describe(call.in(kBias)),
                      describe(Dims{s.units}));
  return s;
}

std::size_t slot(std::int64_t i) { return static_cast<std::size_t>(i); }

// Shifts every row of the state; `newest(batch, filter)` is its last element.
template <class T, class F>
void shift(const SvdfShape& s, std::vector<T>& state, F&& newest) {
  for (std::int64_t b = 0; b < s.batch; ++b)
    for (std::int64_t f = 0; f < s.filters; ++f) {
      const std::int64_t row = (b * s.filters + f) * s.memory;
      for (std::int64_t m = 0; m + 1 < s.memory; ++m) state[slot(row + m)] = state[slot(row + m + 1)];
      state[slot(row + s.memory - 1)] = newest(b, f);
    }
}

Outcome svdf_float(const Call& call, const SvdfShape& s) {
  for (std::size_t i = 1; i < call.count(); ++i)
    if (!call.same_dtype(0, i)) return failure;
  const bool is_tanh = call.node.text("activation", "none") == "tanh";
  Bounds bounds{-INFINITY, INFINITY};
  if (!is_tanh) {
    const Result<Bounds> found = activation_bounds(call);
    if (!found) return failure;
    bounds = *found;
  }
  const auto x = reals<float>(call.in(kSvdfX)), feature = reals<float>(call.in(kFeature));
  const auto time = reals<float>(call.in(kTime));
  const auto bias = call.find(kBias) != nullptr ? reals<float>(call.in(kBias)) : std::vector<float>(slot(s.units));
  std::vector<float> state = reals<float>(call.in(kState));
  shift(s, state, [&](std::int64_t b, std::int64_t f) {
    float sum = 0;
    for (std::int64_t d = 0; d < s.depth; ++d) sum += feature[slot(f * s.depth + d)] * x[slot(b * s.depth + d)];
    return sum;
  });
  std::vector<float> y;
  for (std::int64_t b = 0; b < s.batch; ++b)
    for (std::int64_t u = 0; u < s.units; ++u) {
      float total = bias[slot(u)];
      for (std::int64_t f = u * s.rank; f < (u + 1) * s.rank; ++f) {
        float sum = 0;
        for (std::int64_t m = 0; m < s.memory; ++m)
          sum += time[slot(f * s.memory + m)] * state[slot((b * s.filters + f) * s.memory + m)];
        total += sum;
      }
      y.push_back(is_tanh ? std::tanh(total)
                          : std::clamp(total, static_cast<float>(bounds.low), static_cast<float>(bounds.high)));
    }
  auto out = call.from_reals(DType::f32, {s.batch, s.units}, y, 0);
  auto next = call.from_reals(DType::f32, *call.in(kState).type.dims, state, 1);
  if (!out || !next) return failure;
  return std::vector<Tensor>{std::move(*out), std::move(*next)};
}

// Sums that leave 32 bits wrap around, as upstream's do.
std::int32_t wrap_to_32_bits(std::int64_t sum) { return static_cast<std::int32_t>(static_cast<std::uint32_t>(sum)); }

// TFLite: factors in float32, the newest element saturated; the fused activation is not looked at.
Outcome svdf_quantised(const Call& call, const SvdfShape& s) {
  const auto in = affine_input(call, kSvdfX), feature_q = affine_input(call, kFeature),
             time_q = affine_input(call, kTime);
  const auto state_q = affine_input(call, kState), out = affine_output(call);
  if (!in || !feature_q || !time_q || !state_q || !out) return failure;
  const DType state_type = call.in(kState).type.dtype;
  if (!call.tflite() || call.in(kSvdfX).type.dtype != DType::i8 || call.in(kFeature).type.dtype != DType::i8 ||
      (state_type != DType::i8 && state_type != DType::i16) || call.in(kTime).type.dtype != state_type ||
      call.declared()->dtype != DType::i8)
    return call.unsupported_dtype(0, "i8 with a state and time weights of i8 or i16, in a TFLite graph");
  const Multiplier to_state = quantise_multiplier(static_cast<double>(in->scale * feature_q->scale / state_q->scale));
  const Multiplier to_out = quantise_multiplier(static_cast<double>(state_q->scale * time_q->scale / out->scale));
  const auto x = whole_numbers(call.in(kSvdfX)), feature = whole_numbers(call.in(kFeature));
  const auto time = whole_numbers(call.in(kTime));
  const auto bias = quantised_bias(call, kBias);
  if (!bias) return failure;
  std::vector<std::int64_t> state = whole_numbers(call.in(kState));
  shift(s, state, [&](std::int64_t b, std::int64_t f) {
    std::int64_t sum = 0;
    for (std::int64_t d = 0; d < s.depth; ++d)
      sum += feature[slot(f * s.depth + d)] * (x[slot(b * s.depth + d)] - in->zero_point);
    return std::clamp(multiply_by_quantised(wrap_to_32_bits(sum), to_state) + state_q->zero_point, state_q->range.low,
                      state_q->range.high);
  });
  std::vector<std::int64_t> y;
  for (std::int64_t b = 0; b < s.batch; ++b)
    for (std::int64_t u = 0; u < s.units; ++u) {
      std::int64_t sum = bias->empty() ? 0 : (*bias)[slot(u)];
      for (std::int64_t f = u * s.rank; f < (u + 1) * s.rank; ++f)
        for (std::int64_t m = 0; m < s.memory; ++m)
          sum += time[slot(f * s.memory + m)] * (state[slot((b * s.filters + f) * s.memory + m)] - state_q->zero_point);
      y.push_back(
          std::clamp<std::int64_t>(multiply_by_quantised(wrap_to_32_bits(sum), to_out) + out->zero_point, -128, 127));
    }
  auto result = from_integers(call, DType::i8, {s.batch, s.units}, y, 0);
  auto next = from_integers(call, state_type, *call.in(kState).type.dims, state, 1);
  if (!result || !next) return failure;
  return std::vector<Tensor>{std::move(*result), std::move(*next)};
}

}  // namespace

Outcome svdf(const Call& call) {
  const Result<SvdfShape> s = read_svdf_shape(call);
  if (!s) return failure;
  if (call.in(kSvdfX).type.dtype == DType::f32) return svdf_float(call, *s);
  if (is_quantised(call)) return svdf_quantised(call, *s);
  return call.unsupported_dtype(0, "f32, or i8 with quantisation");
}

}  // namespace byoc::evaluate
