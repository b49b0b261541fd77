// Many nodes in one graph with random operands: what the C backend makes of them against the evaluator, bit for bit.
#pragma once

#include <cstring>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "backends/c/backend.hpp"
#include "sdk/evaluate/evaluate.hpp"
#include "sdk/plugin/region.hpp"
#include "tests/support/generated_program.hpp"

namespace byoc::testing {

class GraphBench {
 public:
  using Dims = std::vector<std::int64_t>;
  using Attributes = std::map<std::string, ir::Attribute, std::less<>>;

  explicit GraphBench(unsigned seed, Requant requant = Requant::onnx) : random_(seed) { graph_.requant = requant; }

  std::int64_t pick(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  float real(float low, float high) { return std::uniform_real_distribution<float>(low, high)(random_); }
  // A zero point of an 8- or 16-bit type, often at an end of its range.
  std::int64_t zero_point(DType dtype) {
    const auto [low, high] = range(dtype);
    return pick(0, 3) == 0 ? (pick(0, 1) ? low : high) : pick(low, high);
  }

  // Integers over the whole range of their type, its ends often among them.
  ir::ValueId integers(DType dtype, const Dims& dims, bool is_constant) {
    const auto [low, high] = range(dtype);
    std::vector<std::int64_t> elements(count(dims));
    for (auto& e : elements) e = pick(0, 15) == 0 ? (pick(0, 1) ? low : high) : pick(low, high);
    return integers(dtype, dims, elements, is_constant);
  }
  ir::ValueId integers(DType dtype, const Dims& dims, const std::vector<std::int64_t>& elements, bool is_constant) {
    const std::size_t size = bit_width(dtype) / 8;
    std::vector<std::byte> bytes(elements.size() * size);
    for (std::size_t i = 0; i < elements.size(); ++i) std::memcpy(&bytes[i * size], &elements[i], size);
    return add(dtype, dims, std::move(bytes), is_constant);
  }
  ir::ValueId reals(const Dims& dims, const std::vector<float>& elements, bool is_constant) {
    std::vector<std::byte> bytes(elements.size() * sizeof(float));
    std::memcpy(bytes.data(), elements.data(), bytes.size());
    return add(DType::f32, dims, std::move(bytes), is_constant);
  }
  ir::ValueId scalar(float value) { return reals({}, {value}, true); }
  ir::ValueId scalar(DType dtype, std::int64_t value) { return integers(dtype, {}, {value}, true); }
  void quantise(ir::ValueId v, std::vector<float> scales, std::vector<std::int64_t> zeros, std::int32_t axis = -1) {
    graph_.values[v].type.quantisation = Quantisation{std::move(scales), std::move(zeros), axis};
  }

  // Adds a node of domain "" (opset 13) or "byoc" ("byoc.Quantize"); gives its output, which the graph gives out.
  ir::ValueId node(const std::string& op, std::vector<ir::ValueId> inputs, DType dtype, const Dims& dims,
                   Attributes attributes = {}) {
    ir::Node n;
    const bool ours = op.starts_with("byoc.");
    n.domain = ours ? "byoc" : "";
    n.op = ours ? op.substr(5) : op;
    n.version = ours ? 1 : 13;
    n.inputs = std::move(inputs);
    n.attributes = std::move(attributes);
    ir::Value y;
    y.type = {dtype, dims, std::nullopt};
    n.outputs = {graph_.add_value(std::move(y))};
    graph_.outputs.push_back(n.outputs[0]);
    graph_.add_node(std::move(n));
    return graph_.outputs.back();
  }

  // Runs both; what differs first, "" if nothing.
  [[nodiscard]] std::string check(const Machine& machine, const RunOptions& options = {}) const {
    Diagnostics diags;
    std::vector<evaluate::Tensor> tensors;
    for (ir::ValueId v : graph_.inputs) tensors.push_back({graph_.values[v].type, Blob::own(bytes_.at(v))});
    const auto expected = evaluate::run(graph_, tensors, diags);
    if (!expected) return "evaluator: " + errors(diags);
    const plugin::BoundRegion bound = plugin::make_region(graph_);
    std::map<codegen::ValueId, std::vector<std::byte>> inputs;
    for (codegen::ValueId v : bound.region.inputs) inputs[v] = bytes_.at(bound.values[v]);
    const RunResult result = run_generated(bound.region, inputs, machine, options);
    if (!result.error.empty()) return result.error;
    for (const auto& [v, bytes] : result.outputs) {
      const std::string difference = compare(bound.values[v], bytes, *expected);
      if (!difference.empty()) return difference;
    }
    return "";
  }
  // The text of the verdict on the first node; "" if it is claimed.
  [[nodiscard]] std::string refusal(const Machine& machine) const;

  [[nodiscard]] const ir::Graph& graph() const { return graph_; }

 private:
  static std::pair<std::int64_t, std::int64_t> range(DType dtype) {
    const int bits = static_cast<int>(bit_width(dtype));
    if (dtype == DType::u8 || dtype == DType::u16) return {0, (std::int64_t{1} << bits) - 1};
    return {-(std::int64_t{1} << (bits - 1)), (std::int64_t{1} << (bits - 1)) - 1};
  }
  static std::size_t count(const Dims& dims) {
    std::size_t n = 1;
    for (const auto d : dims) n *= static_cast<std::size_t>(d);
    return n;
  }
  static std::string errors(const Diagnostics& diags) {
    std::string out;
    for (const Diagnostic& d : diags.all()) out += to_string(d) + "\n";
    return out;
  }

  ir::ValueId add(DType dtype, const Dims& dims, std::vector<std::byte> bytes, bool is_constant) {
    const ir::TensorType type{dtype, dims, std::nullopt};
    if (is_constant) return graph_.add_constant("", type, Blob::own(std::move(bytes)));
    ir::Value v;
    v.type = type;
    const ir::ValueId id = graph_.add_value(std::move(v));
    graph_.inputs.push_back(id);
    bytes_[id] = std::move(bytes);
    return id;
  }

  [[nodiscard]] std::string compare(ir::ValueId v, const std::vector<std::byte>& found,
                                    const std::vector<evaluate::Tensor>& expected) const {
    for (std::size_t o = 0; o < graph_.outputs.size(); ++o) {
      if (graph_.outputs[o] != v) continue;
      const auto bytes = expected[o].bytes.bytes();
      const std::size_t size = bit_width(graph_.values[v].type.dtype) / 8;
      for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (found[i] == bytes[i]) continue;
        return graph_.nodes[o].describe() + " node " + std::to_string(o) + " (" +
               to_string(graph_.values[v].type, graph_) + "): element " + std::to_string(i / size) + " is " +
               number(v, &found[i / size * size]) + ", expected " + number(v, &bytes[i / size * size]);
      }
    }
    return "";
  }
  [[nodiscard]] std::string number(ir::ValueId v, const std::byte* at) const {
    const auto as = [&]<class T>(T value) {
      std::memcpy(&value, at, sizeof value);
      return std::to_string(value);
    };
    switch (graph_.values[v].type.dtype) {
      case DType::f32: return as(float{});
      case DType::i8: return as(std::int8_t{});
      case DType::u8: return as(std::uint8_t{});
      case DType::i16: return as(std::int16_t{});
      case DType::u16: return as(std::uint16_t{});
      default: return as(std::int32_t{});
    }
  }

  std::mt19937 random_;
  ir::Graph graph_;
  std::map<ir::ValueId, std::vector<std::byte>> bytes_;  // of the inputs
};

inline std::string GraphBench::refusal(const Machine& machine) const {
  const plugin::BoundRegion bound = plugin::make_region(graph_);
  const auto backend = c::create_backend();
  const codegen::Verdict verdict = backend->verdicts(bound.region, machine.target).at(0);
  return verdict.claimed ? "" : verdict.text;
}

}  // namespace byoc::testing
