#include "sdk/model/lift/rewriter.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "sdk/model/ir/packed_elements.hpp"
#include "sdk/model/lift/movement.hpp"

namespace byoc::lift {
namespace {

template <class T>
std::vector<std::int64_t> widened(std::span<const std::byte> bytes) {
  std::vector<std::int64_t> out(bytes.size() / sizeof(T));
  for (std::size_t i = 0; i < out.size(); ++i) {
    T element;
    std::memcpy(&element, bytes.data() + i * sizeof(T), sizeof(T));  // mapped bytes need not be aligned
    out[i] = static_cast<std::int64_t>(element);
  }
  return out;
}

// Elements of fewer than 8 bits.
std::vector<std::int64_t> few_bits(const ir::TensorType& type, std::span<const std::byte> bytes) {
  const unsigned bits = bit_width(type.dtype);
  const std::int64_t sign = element_row(type.dtype).kind == ElementKind::whole ? std::int64_t{1} << (bits - 1) : 0;
  std::vector<std::int64_t> out;
  for (const unsigned code : ir::unpack(bytes, bits, static_cast<std::size_t>(type.elements())))
    out.push_back((static_cast<std::int64_t>(code) ^ sign) - sign);
  return out;
}

bool in_range(std::int64_t q, DType t) {
  const bool is_signed = element_row(t).kind == ElementKind::whole;
  const unsigned bits = bit_width(t);
  const std::int64_t low = is_signed ? -(std::int64_t{1} << (bits - 1)) : 0;
  const std::int64_t high = (std::int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
  return low <= q && q <= high;
}

}  // namespace

void Rewriter::index() {
  producer_ = ir::producers(graph);
  reads_.assign(graph.values.size(), 0);
  for (const ir::Node& n : graph.nodes)
    for (ir::ValueId v : n.inputs)
      if (v != ir::kNoValue) ++reads_[v];
  for (ir::ValueId v : graph.outputs) ++reads_[v];
  for (const ir::State& s : graph.states) ++reads_[s.next];
}

const ir::Node* Rewriter::producer(ir::ValueId v) const {
  if (v >= producer_.size() || producer_[v] == ir::kNoNode) return nullptr;
  return &graph.nodes[producer_[v]];
}

std::size_t Rewriter::moved(const ir::Node& node) const { return stays(node) ? 0 : moved_inputs(graph, node); }

ir::ValueId Rewriter::dequantised_from(ir::ValueId v) const {
  const ir::Node* node = producer(v);
  return node != nullptr && node->is("byoc", "Dequantize") ? node->inputs[0] : ir::kNoValue;
}

const Quantisation* Rewriter::per_tensor(ir::ValueId v) const {
  if (v == ir::kNoValue || !is_quantised_type(type(v).dtype)) return nullptr;
  const auto& q = type(v).quantisation;
  return q && !q->per_axis() ? &*q : nullptr;
}

ir::ValueId Rewriter::quantised_like(ir::ValueId like, DType dtype, const Quantisation& q) {
  ir::Value value;
  value.name = graph.values[like].name;
  value.type = {dtype, graph.values[like].type.dims, q};
  return graph.add_value(std::move(value));
}

ir::ValueId Rewriter::constant_with(ir::ValueId v, const Quantisation& q) {
  if (graph.values[v].type.quantisation == q) return v;
  ir::Value copy = graph.values[v];  // shares the bytes
  copy.type.quantisation = q;
  return graph.add_value(std::move(copy));
}

bool is_quantised_type(DType t) { return t == DType::i8 || t == DType::u8 || t == DType::i16 || t == DType::u16; }

bool is_weight_type(DType t) {
  return is_quantised_type(t) || (is_small(t) && element_row(t).kind != ElementKind::real);
}

DType whole_bytes(DType t) {
  if (!is_small(t) || element_row(t).kind == ElementKind::real) return t;
  return element_row(t).kind == ElementKind::whole ? DType::i8 : DType::u8;
}

std::optional<std::vector<float>> floats(const ir::Graph& graph, ir::ValueId v) {
  if (!graph.is_constant(v) || graph.values[v].type.dtype != DType::f32) return std::nullopt;
  const auto bytes = graph.values[v].constant->bytes.bytes();
  std::vector<float> out(bytes.size() / sizeof(float));
  if (!out.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

std::optional<std::vector<std::int64_t>> integers(const ir::Graph& graph, ir::ValueId v) {
  if (!graph.is_constant(v)) return std::nullopt;
  const auto bytes = graph.values[v].constant->bytes.bytes();
  switch (graph.values[v].type.dtype) {
    case DType::i8: return widened<std::int8_t>(bytes);
    case DType::u8: return widened<std::uint8_t>(bytes);
    case DType::i16: return widened<std::int16_t>(bytes);
    case DType::u16: return widened<std::uint16_t>(bytes);
    case DType::i32: return widened<std::int32_t>(bytes);
    case DType::i64: return widened<std::int64_t>(bytes);
    case DType::i4:
    case DType::u4:
    case DType::i2:
    case DType::u2: return few_bits(graph.values[v].type, bytes);
    default: return std::nullopt;
  }
}

std::optional<Quantisation> read_parameters(const ir::Graph& graph, const ir::TensorType& of, ir::ValueId scale,
                                            ir::ValueId zero_point, std::int64_t axis) {
  auto scales = floats(graph, scale);
  if (!scales || scales->empty() || !of.dims || graph.values[scale].type.dims->size() > 1) return std::nullopt;
  std::vector<std::int64_t> zero_points(scales->size(), 0);
  if (zero_point != ir::kNoValue) {
    auto given = integers(graph, zero_point);
    if (!given || graph.values[zero_point].type.dtype != of.dtype) return std::nullopt;
    zero_points = std::move(*given);
  }
  if (zero_points.size() != scales->size()) return std::nullopt;
  for (std::size_t i = 0; i < scales->size(); ++i)
    if (!std::isfinite((*scales)[i]) || (*scales)[i] <= 0 || !in_range(zero_points[i], of.dtype)) return std::nullopt;
  Quantisation q{std::move(*scales), std::move(zero_points), -1};
  if (q.scales.size() == 1) return q;
  const auto rank = static_cast<std::int64_t>(of.dims->size());
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) return std::nullopt;
  if ((*of.dims)[static_cast<std::size_t>(axis)] != static_cast<ir::Dim>(q.scales.size())) return std::nullopt;
  q.axis = static_cast<std::int32_t>(axis);
  return q;
}

}  // namespace byoc::lift
