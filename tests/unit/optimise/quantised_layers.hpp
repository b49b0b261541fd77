// Graphs of quantised layers, by hand and at random, and their values before and after rewrites.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "sdk/codegen/optimise/optimise.hpp"
#include "sdk/model/evaluate/element.hpp"
#include "sdk/model/evaluate/evaluate.hpp"

namespace byoc::test {

// Claims everything, and accepts rewrites unless told otherwise.
class Willing final : public codegen::Codegen {
 public:
  std::string_view id() const override { return name; }
  std::string_view version() const override { return "1"; }
  bool accepts_rewrites() const override { return accepts; }
  std::vector<codegen::Verdict> verdicts(const codegen::Region& r, const TargetSpec&) override {
    std::vector<codegen::Verdict> out(r.nodes.size());
    for (std::size_t n = 0; n < out.size(); ++n) {
      out[n].claimed = claims(r, r.nodes[n]);
      if (!out[n].claimed) out[n].reason = codegen::Reason::unsupported_shape;
    }
    ++asked;
    return out;
  }
  std::vector<codegen::Group> groups(const codegen::Region&, const TargetSpec&,
                                     std::span<const codegen::Match>) override {
    return offered;
  }
  bool compile(const codegen::Request&, codegen::Host&) override { return true; }

  std::string name = "willing";
  bool accepts = true;
  std::function<bool(const codegen::Region&, const codegen::Node&)> claims = [](const auto&, const auto&) {
    return true;
  };
  std::vector<codegen::Group> offered;
  std::size_t asked = 0;
};

struct Window {
  std::int64_t kernel = 1, stride = 1, pad = 0;
};

class QuantisedLayers {
 public:
  using Dims = std::vector<std::int64_t>;
  using Integers = std::vector<std::int64_t>;
  using Attributes = std::map<std::string, ir::Attribute, std::less<>>;

  explicit QuantisedLayers(unsigned seed = 1, Requant requant = Requant::tflite) : random_(seed) {
    graph.name = "layers";
    graph.requant = requant;
  }

  ir::Graph graph;

  std::int64_t pick(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  float real(float low, float high) { return std::uniform_real_distribution<float>(low, high)(random_); }

  static ir::TensorType type(DType dtype, Dims dims, float scale = 0, std::int64_t zero = 0) {
    ir::TensorType t;
    t.dtype = dtype;
    t.dims = std::move(dims);
    if (scale != 0) t.quantisation = Quantisation{{scale}, {zero}, -1};
    return t;
  }
  static std::size_t count(const Dims& dims) {
    std::size_t n = 1;
    for (const auto d : dims) n *= static_cast<std::size_t>(d);
    return n;
  }
  const Dims& dims(ir::ValueId v) const { return *graph.values[v].type.dims; }

  ir::ValueId input(const ir::TensorType& t) {
    ir::Value v;
    v.type = t;
    v.name = "x" + std::to_string(graph.inputs.size());
    graph.inputs.push_back(graph.add_value(std::move(v)));
    return graph.inputs.back();
  }
  ir::ValueId constant(const ir::TensorType& t, const Integers& values) {
    EXPECT_EQ(values.size(), count(*t.dims));
    const std::size_t size = bit_width(t.dtype) / 8;
    std::vector<std::byte> bytes(values.size() * size);
    for (std::size_t i = 0; i < values.size(); ++i) std::memcpy(&bytes[i * size], &values[i], size);
    return graph.add_constant("", t, Blob::own(std::move(bytes)));
  }
  ir::ValueId bounds(float value) {
    std::vector<std::byte> bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return graph.add_constant("", type(DType::f32, {}), Blob::own(std::move(bytes)));
  }
  ir::ValueId shape(const Dims& values) {
    return constant(type(DType::i64, {static_cast<std::int64_t>(values.size())}), values);
  }
  // `op` may be "byoc.Quantize".
  ir::ValueId node(const std::string& op, std::vector<ir::ValueId> inputs, const ir::TensorType& t,
                   Attributes attributes = {}) {
    ir::Node n;
    const bool ours = op.starts_with("byoc.");
    n.domain = ours ? "byoc" : "";
    n.op = ours ? op.substr(5) : op;
    n.version = ours ? 1 : 18;
    n.name = "n" + std::to_string(graph.nodes.size());
    n.inputs = std::move(inputs);
    n.attributes = std::move(attributes);
    ir::Value v;
    v.type = t;
    v.name = "v" + std::to_string(graph.values.size());
    n.outputs = {graph.add_value(std::move(v))};
    graph.add_node(std::move(n));
    return graph.nodes.back().outputs[0];
  }
  void output(ir::ValueId v) { graph.outputs.push_back(v); }

  // A convolution of NHWC images; `weights` [out, k, k, in] (depthwise: [1, k, k, out]), no bias where it is empty.
  ir::ValueId conv(ir::ValueId x, const Integers& weights, const Integers& bias, float out_scale, std::int64_t out_zero,
                   Window w = {}, std::int64_t groups = 1, const std::string& activation = "none") {
    const Dims in = dims(x);
    const bool depthwise = groups > 1 && groups == in[3];
    const std::int64_t taps = w.kernel * w.kernel, group_in = in[3] / groups;
    const auto out = static_cast<std::int64_t>(weights.size()) / taps / (depthwise ? 1 : group_in);
    const ir::ValueId filter = constant(
        type(DType::i8, depthwise ? Dims{1, w.kernel, w.kernel, out} : Dims{out, w.kernel, w.kernel, group_in}, 0.5F),
        weights);
    std::vector<ir::ValueId> operands{x, filter};
    if (!bias.empty()) operands.push_back(constant(type(DType::i32, {out}), bias));
    const auto length = [&](std::int64_t n) { return (n + 2 * w.pad - w.kernel) / w.stride + 1; };
    return node("Conv", operands,
                type(graph.values[x].type.dtype, {in[0], length(in[1]), length(in[2]), out}, out_scale, out_zero),
                {{"data_layout", std::string("NHWC")},
                 {"filter_layout", std::string(depthwise ? "IHWO" : "OHWI")},
                 {"kernel_shape", Dims{w.kernel, w.kernel}},
                 {"strides", Dims{w.stride, w.stride}},
                 {"dilations", Dims{1, 1}},
                 {"pads", Dims{w.pad, w.pad, w.pad, w.pad}},
                 {"group", groups},
                 {"activation", activation}});
  }
  ir::ValueId dense(ir::ValueId x, const Integers& weights, const Integers& bias, std::int64_t units, float out_scale,
                    std::int64_t out_zero) {
    const auto depth = static_cast<std::int64_t>(weights.size()) / units;
    std::vector<ir::ValueId> operands{x, constant(type(DType::i8, {units, depth}, 0.5F), weights)};
    if (!bias.empty()) operands.push_back(constant(type(DType::i32, {units}), bias));
    const std::int64_t rows = static_cast<std::int64_t>(count(dims(x))) / depth;
    return node("byoc.FullyConnected", operands, type(graph.values[x].type.dtype, {rows, units}, out_scale, out_zero));
  }

  Integers random_integers(std::size_t n, std::int64_t low, std::int64_t high) {
    Integers out(n);
    for (auto& i : out) i = pick(low, high);
    return out;
  }
  // Bytes of each input: at random, or each element the lowest or highest, or these in turn.
  enum class Content { random, low, high, alternating };
  std::vector<evaluate::Tensor> contents(Content content) {
    std::vector<evaluate::Tensor> out;
    for (const ir::ValueId v : graph.inputs) {
      const ir::TensorType& t = graph.values[v].type;
      const evaluate::IntegerRange r = evaluate::integer_range(t.dtype);
      const std::size_t size = bit_width(t.dtype) / 8, n = count(*t.dims);
      std::vector<std::byte> bytes(n * size);
      for (std::size_t i = 0; i < n; ++i) {
        std::int64_t q = pick(r.low, r.high);
        if (content == Content::low || (content == Content::alternating && i % 2 == 0)) q = r.low;
        if (content == Content::high || (content == Content::alternating && i % 2 == 1)) q = r.high;
        std::memcpy(&bytes[i * size], &q, size);
      }
      out.push_back({t, Blob::own(std::move(bytes))});
    }
    return out;
  }

 private:
  std::mt19937 random_;
};

inline std::string text_of(const Diagnostics& diags) {
  std::string out;
  for (const Diagnostic& d : diags.all()) out += to_string(d) + "\n";
  return out;
}

// A graph placed and rewritten.
struct Rewritten {
  Partition partition;
  optimise::Optimised now;

  Rewritten(const ir::Graph& graph, std::vector<codegen::Codegen*> codegens, const optimise::Options& options = {},
            const PartitionOptions& placing = {}) {
    Diagnostics diags;
    auto placed = make_partition(graph, codegens, {}, placing, diags);
    EXPECT_TRUE(placed) << text_of(diags);
    if (!placed) return;
    partition = std::move(*placed);
    auto rewritten = optimise::rewrite(graph, partition, codegens, {}, options, diags);
    EXPECT_TRUE(rewritten) << text_of(diags);
    if (rewritten) now = std::move(*rewritten);
  }

  const RewriteSummary* find(std::string_view name) const {
    for (const RewriteSummary& s : now.summary)
      if (s.name == name) return &s;
    return nullptr;
  }
  std::uint64_t count(std::string_view name) const { return find(name) == nullptr ? 0 : find(name)->count; }
  const optimise::Moved& moved() const { return now.moved.at(now.graph.get()); }
  std::int64_t length(ir::ValueId v, std::size_t axis) const { return (*now.graph->values[v].type.dims)[axis]; }
};

inline std::vector<std::int64_t> integers(const evaluate::Tensor& t) {
  std::vector<std::int64_t> out;
  (void)evaluate::dispatch(t.type.dtype, [&]<class T>() {
    if constexpr (std::is_integral_v<T>)
      for (std::size_t at = 0; at < t.bytes.size(); at += sizeof(T)) {
        T value;
        std::memcpy(&value, t.bytes.data() + at, sizeof(T));
        out.push_back(static_cast<std::int64_t>(value));
      }
  });
  return out;
}

// What differs between the values of both graphs, channels that are not computed put back; "" if nothing does.
inline std::string difference(const ir::Graph& before, const optimise::Optimised& after,
                              const std::vector<evaluate::Tensor>& inputs) {
  Diagnostics diags;
  std::map<ir::ValueId, evaluate::Tensor> all;
  const auto expected =
      evaluate::run(before, inputs, diags, [&](ir::ValueId v, const evaluate::Tensor& t) { all[v] = t; });
  const optimise::Moved& moved = after.moved.at(after.graph.get());
  ir::Graph now = *after.graph;
  for (std::size_t n = now.nodes.size(); n-- > 0;)
    if (moved.absorbed.contains(static_cast<ir::NodeId>(n)))
      now.nodes.erase(now.nodes.begin() + static_cast<std::ptrdiff_t>(n));
  std::string first;
  const auto look = [&](ir::ValueId v, const evaluate::Tensor& t) {
    const auto want = all.find(v);
    if (want == all.end() || !first.empty()) return;
    std::vector<std::int64_t> a = integers(want->second);
    const std::vector<std::int64_t> b = integers(t);
    const auto map = moved.channels.find(v);
    const std::string name = before.values[v].name;
    if (map == moved.channels.end()) {
      if (a != b) first = name + " differs";
      return;
    }
    const auto& dims = *before.values[v].type.dims;
    std::int64_t inner = 1;
    for (std::size_t d = map->second.axis + std::size_t{1}; d < dims.size(); ++d) inner *= dims[d];
    std::size_t next = 0;
    for (std::size_t e = 0; e < a.size() && first.empty(); ++e) {
      const auto c = static_cast<std::size_t>(static_cast<std::int64_t>(e) / inner % dims[map->second.axis]);
      const auto& constant = map->second.constant[c];
      if (map->second.stored[c] >= 0 ? next >= b.size() || a[e] != b[next++] : constant && *constant != a[e])
        first = name + " differs in channel " + std::to_string(c);
    }
    if (first.empty() && next != b.size()) first = name + " has another number of elements";
  };
  const auto found = evaluate::run(now, inputs, diags, look);
  if (!expected || !found) return text_of(diags);
  for (std::size_t i = 0; i < expected->size(); ++i)
    if (integers((*expected)[i]) != integers((*found)[i]) || (*expected)[i].type.dims != (*found)[i].type.dims)
      return "output " + std::to_string(i) + " differs; " + first;
  return first;
}

inline std::string difference(QuantisedLayers& layers, const optimise::Optimised& after) {
  using Content = QuantisedLayers::Content;
  for (const Content c : {Content::random, Content::random, Content::low, Content::high, Content::alternating})
    if (std::string text = difference(layers.graph, after, layers.contents(c)); !text.empty()) return text;
  return "";
}

}  // namespace byoc::test
