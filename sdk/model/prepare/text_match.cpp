#include "sdk/model/prepare/text_match.hpp"

#include <cstring>
#include <memory>

#include "sdk/model/ir/onnx_types.hpp"
#include "sdk/model/prepare/pattern_automaton.hpp"

namespace byoc {
namespace {

using ir::ValueId;
using Dims = std::vector<ir::Dim>;

template <class T>
ValueId constant(ir::Graph& graph, DType dtype, Dims dims, const std::vector<T>& elements) {
  std::vector<std::byte> bytes(elements.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), elements.data(), bytes.size());
  return graph.add_constant({}, {dtype, std::move(dims)}, Blob::own(std::move(bytes)));
}

ValueId constant(ir::Graph& graph, const std::vector<std::int32_t>& elements) {
  return constant(graph, DType::i32, Dims{std::ssize(elements)}, elements);
}

// (state, byte) -> state
std::shared_ptr<ir::Graph> step(const ir::Graph& around, const ir::Node& like, const PatternAutomaton& automaton,
                                const Dims& dims) {
  auto body = std::make_shared<ir::Graph>();
  body->name = "step";
  body->file = around.file;
  body->requant = around.requant;
  for (const DType dtype : {DType::i32, DType::u8}) {
    ir::Value value;
    value.type.dtype = dtype;
    value.type.dims = dims;
    body->inputs.push_back(body->add_value(std::move(value)));
  }
  NodeWriter write(*body, body->nodes, like);
  const ValueId kinds = constant(*body, {automaton.kind_of.begin(), automaton.kind_of.end()});
  const ValueId next = constant(*body, {automaton.next.begin(), automaton.next.end()});
  const ValueId count = constant<std::int32_t>(*body, DType::i32, Dims{}, {static_cast<std::int32_t>(automaton.kinds)});
  const ValueId byte = write.op("Cast", {body->inputs[1]}, {{"to", ir::onnx_number(DType::i32)}});
  const ValueId row = write.op("Mul", {body->inputs[0], count});
  const ValueId at = write.op("Add", {row, write.op("Gather", {kinds, byte})});
  body->outputs.push_back(write.op("Gather", {next, at}));
  return body;
}

}  // namespace

ValueId match_cells(NodeWriter& write, ir::Graph& graph, const ir::Node& like, ValueId cells, const Dims& dims,
                    std::string_view pattern) {
  const auto automaton = automaton_of(pattern);
  if (!automaton) return ir::kNoValue;
  const ValueId last = write.op("Scan", {write.zeros({DType::i32, dims}), cells},
                                {{"body", step(graph, like, *automaton, dims)},
                                 {"captures", std::int64_t{0}},
                                 {"num_scan_inputs", std::int64_t{1}},
                                 {"scan_input_axes", std::vector<std::int64_t>{std::ssize(dims)}}});
  const ValueId accepts = constant(graph, DType::boolean, Dims{std::ssize(automaton->accepts)}, automaton->accepts);
  return write.op("Gather", {accepts, last});
}

}  // namespace byoc
