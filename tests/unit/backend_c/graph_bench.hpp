// Many nodes in one graph with random operands: what the C backend makes of them against the evaluator, bit for bit.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "backends/c/backend.hpp"
#include "sdk/codegen/codegen/region.hpp"
#include "sdk/model/evaluate/element.hpp"
#include "sdk/model/evaluate/evaluate.hpp"
#include "tests/support/generated_program.hpp"

namespace byoc::test {

inline constexpr DType kFloats[] = {DType::f16, DType::bf16, DType::f32, DType::f64};

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
  // Elements of any type of whole bytes: small numbers, and `extremes` of the type among them: its ends, and of floats
  // signed zeros, subnormals, infinities and NaN.
  ir::ValueId numbers(DType dtype, const Dims& dims, bool is_constant, bool extremes = true) {
    std::vector<std::byte> bytes;
    (void)evaluate::dispatch(dtype, [&]<class T>() {
      for (std::size_t i = 0; i < count(dims); ++i) {
        const T value = extremes && pick(0, 7) == 0 ? extreme<T>() : ordinary<T>();
        const auto* at = reinterpret_cast<const std::byte*>(&value);
        bytes.insert(bytes.end(), at, at + sizeof value);
      }
    });
    return add(dtype, dims, std::move(bytes), is_constant);
  }
  // Floats in [low, high).
  ir::ValueId reals_between(DType dtype, const Dims& dims, double low, double high) {
    std::vector<std::byte> bytes;
    (void)evaluate::dispatch(dtype, [&]<class T>() {
      for (std::size_t i = 0; i < count(dims); ++i) {
        const T value = evaluate::narrow<T>(std::uniform_real_distribution<double>(low, high)(random_));
        const auto* at = reinterpret_cast<const std::byte*>(&value);
        bytes.insert(bytes.end(), at, at + sizeof value);
      }
    });
    return add(dtype, dims, std::move(bytes), false);
  }
  ir::ValueId scalar(float value) { return reals({}, {value}, true); }
  ir::ValueId scalar(DType dtype, std::int64_t value) { return integers(dtype, {}, {value}, true); }
  void quantise(ir::ValueId v, std::vector<float> scales, std::vector<std::int64_t> zeros, std::int32_t axis = -1) {
    graph_.values[v].type.quantisation = Quantisation{std::move(scales), std::move(zeros), axis};
  }

  // Adds a node of domain "" or "byoc" ("byoc.Quantize"); gives its output, which the graph gives out.
  ir::ValueId node(const std::string& op, std::vector<ir::ValueId> inputs, DType dtype, const Dims& dims,
                   Attributes attributes = {}, std::int64_t opset = 13) {
    ir::Node n;
    const bool ours = op.starts_with("byoc.");
    n.domain = ours ? "byoc" : "";
    n.op = ours ? op.substr(5) : op;
    n.version = ours ? 1 : opset;
    n.inputs = std::move(inputs);
    n.attributes = std::move(attributes);
    ir::Value y;
    y.type = {dtype, dims, std::nullopt};
    n.outputs = {graph_.add_value(std::move(y))};
    graph_.outputs.push_back(n.outputs[0]);
    graph_.add_node(std::move(n));
    return graph_.outputs.back();
  }

  // The same, and the graph does not give it out.
  ir::ValueId inner(const std::string& op, std::vector<ir::ValueId> inputs, DType dtype, const Dims& dims,
                    Attributes attributes = {}, std::int64_t opset = 13) {
    const ir::ValueId out = node(op, std::move(inputs), dtype, dims, std::move(attributes), opset);
    graph_.outputs.pop_back();
    return out;
  }

  // The same for a node of several outputs; one that is `undefined` is left out. The domain stands before the operator
  // as in "ai.onnx.preview.training.Adam".
  void layer(const std::string& op, std::vector<ir::ValueId> inputs, const std::vector<std::pair<DType, Dims>>& outputs,
             Attributes attributes = {}, std::int64_t opset = 17) {
    ir::Node n;
    const std::size_t dot = op.rfind('.');
    n.domain = dot == std::string::npos ? "" : op.substr(0, dot);
    n.op = dot == std::string::npos ? op : op.substr(dot + 1);
    n.version = opset;
    n.inputs = std::move(inputs);
    n.attributes = std::move(attributes);
    for (const auto& [dtype, dims] : outputs) {
      n.outputs.push_back(ir::kNoValue);
      if (dtype == DType::undefined) continue;
      ir::Value y;
      y.type = {dtype, dims, std::nullopt};
      n.outputs.back() = graph_.add_value(std::move(y));
      graph_.outputs.push_back(n.outputs.back());
    }
    graph_.add_node(std::move(n));
  }

  // Floats may differ by this many units in the last place of their type, and by this much near zero. Default: equal
  // bits.
  struct Tolerance {
    double units = -1, absolute = 0;
  };
  Tolerance tolerance;
  c::BackendOptions backend;

  // Runs both; what differs first, "" if nothing.
  [[nodiscard]] std::string check(const Machine& machine, const RunOptions& options = {}) const {
    return check_region(machine, plugin::make_region(graph_), options);
  }
  // The same with another region, whose values have the ids of the graph's: what rewrites made of it.
  [[nodiscard]] std::string check_region(const Machine& machine, const plugin::BoundRegion& bound,
                                         const RunOptions& options = {}) const {
    Diagnostics diags;
    std::vector<evaluate::Tensor> tensors;
    for (ir::ValueId v : graph_.inputs) tensors.push_back({graph_.values[v].type, Blob::own(bytes_.at(v))});
    const auto expected = evaluate::run(graph_, tensors, diags);
    if (!expected) return "evaluator: " + errors(diags);
    std::map<codegen::ValueId, std::vector<std::byte>> inputs;
    for (codegen::ValueId v : bound.region.inputs) inputs[v] = bytes_.at(bound.values[v]);
    const RunResult result = run_generated(*c::create_backend(backend), bound.region, inputs, machine, options);
    if (!result.error.empty()) return result.error;
    for (const auto& [v, bytes] : result.outputs) {
      const std::string difference = compare(bound.values[v], bytes, *expected);
      if (!difference.empty()) return difference;
    }
    return "";
  }
  // The graph gives out this value; this one besides.
  void finish(ir::ValueId v) { graph_.outputs = {v}; }
  void give(ir::ValueId v) {
    if (std::find(graph_.outputs.begin(), graph_.outputs.end(), v) == graph_.outputs.end()) graph_.outputs.push_back(v);
  }

  // Runs the code as it is by default and with `options`: "" if both give the same bytes. Counts in `fewer` whether the
  // second takes fewer steps, in `leads` its outputs that may start before their input.
  [[nodiscard]] std::string check_same(const Machine& machine, const RunOptions& options, int& fewer,
                                       int* leads = nullptr) const {
    const RunResult plain = run(machine), other = run(machine, options);
    if (!plain.error.empty() || !other.error.empty()) return plain.error + other.error;
    if (plain.outputs != other.outputs) return "results differ";
    if (other.steps.size() < plain.steps.size()) ++fewer;
    if (leads == nullptr) return "";
    for (const codegen::Step& s : other.steps)
      for (const codegen::Overlay& o : s.overlays) *leads += o.lead != 0 ? 1 : 0;
    return "";
  }

  // What the generated code alone says.
  [[nodiscard]] RunResult run(const Machine& machine, const RunOptions& options = {},
                              const c::BackendOptions& made_with = {}) const {
    const plugin::BoundRegion bound = plugin::make_region(graph_);
    std::map<codegen::ValueId, std::vector<std::byte>> inputs;
    for (codegen::ValueId v : bound.region.inputs) inputs[v] = bytes_.at(bound.values[v]);
    return run_generated(*c::create_backend(made_with), bound.region, inputs, machine, options);
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
      const std::size_t size = std::max(bit_width(graph_.values[v].type.dtype) / 8, 1u);
      for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (found[i] == bytes[i] || near(graph_.values[v].type.dtype, &found[i / size * size], &bytes[i / size * size]))
          continue;
        return producer(v).describe() + " output " + std::to_string(o) + " (" +
               to_string(graph_.values[v].type, graph_) + "): element " + std::to_string(i / size) + " is " +
               number(v, &found[i / size * size]) + ", expected " + number(v, &bytes[i / size * size]);
      }
    }
    return "";
  }
  [[nodiscard]] const ir::Node& producer(ir::ValueId v) const {
    return *std::find_if(graph_.nodes.begin(), graph_.nodes.end(), [&](const ir::Node& n) {
      return std::find(n.outputs.begin(), n.outputs.end(), v) != n.outputs.end();
    });
  }
  [[nodiscard]] std::string number(ir::ValueId v, const std::byte* at) const {
    std::string out;
    (void)evaluate::dispatch(graph_.values[v].type.dtype, [&]<class T>() {
      T value;
      std::memcpy(&value, at, sizeof value);
      if constexpr (std::is_integral_v<T>)
        out = std::to_string(value);
      else
        out = std::to_string(evaluate::widen(value));
    });
    return out;
  }
  // Floats that the tolerance allows; NaNs are all the same then.
  [[nodiscard]] bool near(DType dtype, const std::byte* found, const std::byte* expected) const {
    if (tolerance.units < 0 || !evaluate::is_float(dtype)) return false;
    bool same = false;
    (void)evaluate::dispatch(dtype, [&]<class T>() {
      T a, b;
      std::memcpy(&a, found, sizeof a);
      std::memcpy(&b, expected, sizeof b);
      const double x = evaluate::widen(a), y = evaluate::widen(b);
      if (std::isnan(x) || std::isnan(y)) {
        same = std::isnan(x) && std::isnan(y);
        return;
      }
      const int bits = dtype == DType::f16 ? 10 : dtype == DType::bf16 ? 7 : dtype == DType::f32 ? 23 : 52;
      const double unit = y == 0 || std::isinf(y) ? 0 : std::ldexp(1.0, std::ilogb(y) - bits);
      same = x == y || std::fabs(x - y) <= std::max(tolerance.units * unit, tolerance.absolute);
    });
    return same;
  }

  template <class T>
  T ordinary() {
    if constexpr (std::is_same_v<T, bool>)
      return pick(0, 1) != 0;
    else if constexpr (evaluate::kIsFloat<T>)
      return evaluate::narrow<T>(std::uniform_real_distribution<double>(-4, 4)(random_));
    else
      return static_cast<T>(pick(std::is_signed_v<T> ? -9 : 0, 9));
  }
  template <class T>
  T extreme() {
    const std::int64_t which = pick(0, 7);
    if constexpr (evaluate::kIsFloat<T>) {
      constexpr double kInfinity = std::numeric_limits<double>::infinity();
      const double tiny = std::is_same_v<T, evaluate::Float16> ? 6e-8 : std::is_same_v<T, double> ? 5e-324 : 1e-39;
      const double large = std::is_same_v<T, evaluate::Float16> ? 65504 : std::is_same_v<T, double> ? 1e308 : 3e38;
      const double all[] = {0.0, -0.0, kInfinity, -kInfinity, std::nan(""), tiny, large, -large};
      return evaluate::narrow<T>(all[which]);
    } else {
      using Limits = std::numeric_limits<T>;
      return which < 3 ? Limits::min() : which < 6 ? Limits::max() : static_cast<T>(Limits::max() - 1);
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

}  // namespace byoc::test
