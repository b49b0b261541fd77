#include "sdk/codegen/optimise/tables.hpp"

#include <cstring>
#include <type_traits>

#include "sdk/model/evaluate/element.hpp"

namespace byoc::optimise {

using evaluate::Tensor;

Tensor tensor_of(ir::TensorType type, const std::vector<std::int64_t>& values) {
  const std::size_t size = bit_width(type.dtype) / 8;
  std::vector<std::byte> bytes(values.size() * size);
  for (std::size_t i = 0; i < values.size(); ++i) std::memcpy(&bytes[i * size], &values[i], size);  // little-endian
  return {std::move(type), Blob::own(std::move(bytes))};
}

std::vector<std::int64_t> integers_of(const Tensor& tensor) {
  std::vector<std::int64_t> out;
  (void)evaluate::dispatch(tensor.type.dtype, [&]<class T>() {
    if constexpr (std::is_integral_v<T>) {
      const auto bytes = tensor.bytes.bytes();
      for (std::size_t at = 0; at < bytes.size(); at += sizeof(T)) {
        T value;
        std::memcpy(&value, bytes.data() + at, sizeof(T));
        out.push_back(static_cast<std::int64_t>(value));
      }
    }
  });
  return out;
}

Tensor constant_of(const ir::Graph& graph, ir::ValueId v) {
  return {graph.values[v].type, graph.values[v].constant->bytes};
}

Tensor every_integer(const ir::TensorType& type) {
  const evaluate::IntegerRange range = evaluate::integer_range(type.dtype);
  std::vector<std::int64_t> all;
  for (std::int64_t q = range.low; q <= range.high; ++q) all.push_back(q);
  ir::TensorType line = type;
  line.dims = {static_cast<std::int64_t>(all.size())};
  return tensor_of(std::move(line), all);
}

std::optional<Tensor> results_on(const ir::Graph& graph, const ir::Node& node, const Tensor& x) {
  std::vector<Tensor> operands{x};
  for (std::size_t i = 1; i < node.inputs.size(); ++i) {
    const ir::ValueId v = node.inputs[i];
    if (v != ir::kNoValue && !graph.is_constant(v)) return std::nullopt;
    operands.push_back(v == ir::kNoValue ? Tensor() : constant_of(graph, v));
  }
  std::vector<const Tensor*> given;
  for (std::size_t i = 0; i < operands.size(); ++i)
    given.push_back(i != 0 && node.inputs[i] == ir::kNoValue ? nullptr : &operands[i]);
  // The result has the type that the graph states, as long as the line.
  ir::Graph one;
  one.requant = graph.requant;
  ir::Value y;
  y.type = graph.values[node.outputs[0]].type;
  y.type.dims = x.type.dims;
  ir::Node alone = node;
  alone.outputs = {one.add_value(std::move(y))};
  Diagnostics unread;  // what cannot be evaluated is not known
  auto results = evaluate::evaluate_node(one, alone, given, unread);
  if (!results || results->size() != 1 || (*results)[0].type.elements() != x.type.elements()) return std::nullopt;
  return std::move((*results)[0]);
}

}  // namespace byoc::optimise
