#include "sdk/model/lift/weights.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace byoc::lift {
namespace {

// Results may move by this part of an output step when a real bias is rounded to the accumulator's steps.
constexpr double kBiasDrift = 1.0 / 32;

struct RealBias {
  std::vector<double> values;
  ir::ValueId integers = ir::kNoValue;  // the i32 constant they come from
  std::vector<float> scales;            // of `integers`
};

std::optional<RealBias> read_bias(const Rewriter& r, ir::ValueId bias) {
  RealBias out;
  if (const auto real = floats(r.graph, bias)) {
    out.values.assign(real->begin(), real->end());
    return out;
  }
  const ir::Node* node = r.producer(bias);
  if (node == nullptr || !node->is("", "DequantizeLinear") || node->integer("block_size", 0) != 0) return std::nullopt;
  const ir::ValueId q = node->inputs[0];
  if (!r.graph.is_constant(q) || r.type(q).dtype != DType::i32) return std::nullopt;
  const auto parameters =
      read_parameters(r.graph, r.type(q), node->inputs[1], node->input(2), node->integer("axis", 1));
  const auto elements = integers(r.graph, q);
  if (!parameters || !elements) return std::nullopt;
  // Along an axis only of a vector.
  if (parameters->per_axis() && parameters->scales.size() != elements->size()) return std::nullopt;
  for (std::size_t i = 0; i < elements->size(); ++i) {
    const std::size_t at = parameters->per_axis() ? i : 0;
    if (parameters->zero_points[at] != 0) return std::nullopt;
    out.values.push_back(static_cast<double>((*elements)[i]) * static_cast<double>(parameters->scales[at]));
  }
  out.integers = q;
  out.scales = parameters->scales;
  return out;
}

double step_of(const Products& p, std::size_t channel) {
  const auto& w = p.weights.quantisation.scales;
  return static_cast<double>(p.x.scales[0]) * static_cast<double>(w[w.size() == 1 ? 0 : channel]);
}

// True if the bias already has the accumulator's steps, except for rounding of the scales to float32.
bool has_steps(const Rewriter& r, const RealBias& bias, const Products& p) {
  if (bias.integers == ir::kNoValue || *r.type(bias.integers).dims != std::vector<ir::Dim>{p.channels}) return false;
  for (std::size_t c = 0; c < static_cast<std::size_t>(p.channels); ++c) {
    const double scale = bias.scales[bias.scales.size() == 1 ? 0 : c];
    if (std::abs(scale / step_of(p, c) - 1) > 1e-6) return false;
  }
  return true;
}

std::int64_t largest_distance(DType t, std::int64_t zero_point) {
  const bool is_signed = element_row(t).kind == ElementKind::whole;
  const unsigned bits = bit_width(t);
  const std::int64_t low = is_signed ? -(std::int64_t{1} << (bits - 1)) : 0;
  const std::int64_t high = (std::int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
  return std::max(high - zero_point, zero_point - low);
}

// True if no sum of products with a bias up to `largest_bias` overflows the accumulator: 32 bits, or 64 if an operand
// has 16.
bool fits_accumulator(const Rewriter& r, const Products& p, std::int64_t largest_bias) {
  const std::int64_t x = largest_distance(p.x_dtype, p.x.zero_points[0]);
  std::int64_t w = 0;
  for (std::int64_t z : p.weights.quantisation.zero_points)
    w = std::max(w, largest_distance(r.type(p.weights.value).dtype, z));
  const bool is_wide = bit_width(p.x_dtype) == 16 || bit_width(r.type(p.weights.value).dtype) == 16;
  std::int64_t bound = 0;
  return !__builtin_mul_overflow(x * w, p.depth, &bound) && !__builtin_add_overflow(bound, largest_bias, &bound) &&
         (is_wide || bound <= std::numeric_limits<std::int32_t>::max());
}

// The elements of a matrix [rows, columns] of `bits` bits each as [columns, rows].
std::vector<std::byte> transposed_elements(std::span<const std::byte> from, std::size_t rows, std::size_t columns,
                                           unsigned bits) {
  std::vector<std::byte> to(from.size());
  const auto mask = static_cast<std::byte>((1U << std::min(bits, 8U)) - 1);
  const auto move = [&](std::size_t source, std::size_t target) {
    if (bits >= 8) {
      std::memcpy(to.data() + target * bits / 8, from.data() + source * bits / 8, bits / 8);
    } else {
      const std::byte element = from[source * bits / 8] >> (source * bits % 8) & mask;
      to[target * bits / 8] |= element << (target * bits % 8);
    }
  };
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) move(r * columns + c, c * rows + r);
  return to;
}

ir::ValueId make_bias(Rewriter& r, ir::ValueId like, const std::vector<std::int32_t>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(std::int32_t));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  ir::TensorType type;
  type.dtype = DType::i32;
  type.dims = {static_cast<ir::Dim>(values.size())};
  return r.graph.add_constant(r.graph.values[like].name, std::move(type), Blob::own(std::move(bytes)));
}

}  // namespace

std::optional<Weights> dequantised_weights(const Rewriter& r, ir::ValueId v) {
  const ir::ValueId q = r.dequantised_from(v);
  if (q == ir::kNoValue || !r.graph.is_constant(q) || !r.type(q).quantisation) return std::nullopt;
  return Weights{q, *r.type(q).quantisation};
}

std::optional<ir::ValueId> integer_bias(Rewriter& r, ir::ValueId bias, const Products& p) {
  if (bias == ir::kNoValue) return fits_accumulator(r, p, 0) ? std::optional(ir::kNoValue) : std::nullopt;
  const auto real = read_bias(r, bias);
  const auto channels = static_cast<std::size_t>(p.channels);
  if (!real || (real->values.size() != channels && real->values.size() != 1)) return std::nullopt;
  const bool keeps = has_steps(r, *real, p);
  std::vector<std::int32_t> steps(channels);
  std::int64_t largest = 0;
  for (std::size_t c = 0; c < channels; ++c) {
    const double step = step_of(p, c);
    const double exact = real->values[real->values.size() == 1 ? 0 : c] / step;
    const double rounded = std::nearbyint(exact);
    if (!(std::abs(rounded) < 2147483648.0)) return std::nullopt;
    if (!keeps && std::abs(exact - rounded) * step / static_cast<double>(p.y.scales[0]) > kBiasDrift)
      return std::nullopt;
    steps[c] = static_cast<std::int32_t>(rounded);
    largest = std::max(largest, std::abs(static_cast<std::int64_t>(steps[c])));
  }
  if (!fits_accumulator(r, p, largest)) return std::nullopt;
  return keeps ? real->integers : make_bias(r, bias, steps);
}

std::optional<Weights> units_by_depth(Rewriter& r, const Weights& w, bool transposed) {
  const ir::TensorType type = r.type(w.value);
  if (!type.dims || type.dims->size() != 2) return std::nullopt;
  if (w.quantisation.per_axis() && w.quantisation.axis != (transposed ? 0 : 1)) return std::nullopt;
  if (transposed) return Weights{r.constant_with(w.value, w.quantisation), w.quantisation};
  const auto depth = static_cast<std::size_t>((*type.dims)[0]);
  const auto units = static_cast<std::size_t>((*type.dims)[1]);
  std::vector<std::byte> to =
      transposed_elements(r.graph.values[w.value].constant->bytes.bytes(), depth, units, bit_width(type.dtype));
  Weights out;
  out.quantisation = w.quantisation;
  if (out.quantisation.per_axis()) out.quantisation.axis = 0;
  ir::TensorType turned{type.dtype, std::vector<ir::Dim>{(*type.dims)[1], (*type.dims)[0]}, out.quantisation};
  out.value = r.graph.add_constant(r.graph.values[w.value].name, std::move(turned), Blob::own(std::move(to)));
  return out;
}

}  // namespace byoc::lift
