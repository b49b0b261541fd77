#include "sdk/codegen/codegen/region_onnx.hpp"

#include <onnx/onnx-ml.pb.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "sdk/model/ir/onnx_types.hpp"
#include "sdk/model/ir/operators.hpp"
#include "sdk/model/ir/packed_elements.hpp"

namespace byoc::plugin {
namespace {

using codegen::kNoValue;
using codegen::Node;
using codegen::NodeId;
using codegen::Region;
using codegen::Value;
using codegen::ValueId;
using Integers = std::vector<std::int64_t>;

// The opset that has the forms of docs/graph-language.md, and the ones that brought more types and modes.
constexpr std::int64_t kOpset = 18;
constexpr std::int64_t kOpsetOfDilatedAverages = 19;
constexpr std::int64_t kOpsetOfGridSample = 20;
constexpr std::int64_t kOpsetOfQuantised16 = 21;

// The IR version that came with an opset.
std::int64_t ir_version(std::int64_t opset) {
  if (opset <= 18) return 8;
  if (opset <= 20) return 9;
  if (opset <= 22) return 10;
  return std::min<std::int64_t>(opset - 12, 13);
}

// Newer than the headers' enumeration, some of them.
std::int32_t onnx_type(DType t) { return static_cast<std::int32_t>(ir::onnx_number(t)); }

// A payload that goes behind the structure of its initialiser.
struct Payload {
  std::size_t initialiser = 0;
  std::span<const std::byte> bytes;
};

// Nodes that give integers as they are, or choose among them.
bool moves_elements(const Node& n) {
  return n.domain.empty() && (ir::has_trait(n, ir::kMoves) || ir::has_trait(n, ir::kStored)) &&
         n.text("activation", "none") == "none";
}

bool has_layout(const Node& n) { return n.domain.empty() && ir::has_trait(n, ir::kImages); }

Integers to_channels_first(std::size_t rank) {
  Integers p(rank);
  std::iota(p.begin(), p.end(), 0);
  if (rank > 2) std::rotate(p.begin() + 1, p.end() - 1, p.end());
  return p;
}

Integers to_channels_last(std::size_t rank) {
  Integers p(rank);
  std::iota(p.begin(), p.end(), 0);
  if (rank > 2) std::rotate(p.begin() + 1, p.begin() + 2, p.end());
  return p;
}

class Writer {
 public:
  explicit Writer(const Region& region) : region_(region), graph_(*model_.mutable_graph()) {}

  std::variant<OnnxModel, OnnxRefusal> write() {
    choose_opset();
    graph_.set_name(region_.name.empty() ? "region" : region_.name);
    for (const ValueId v : region_.inputs) describe(v, *graph_.add_input());
    for (const ValueId v : region_.outputs) describe(v, *graph_.add_output());
    for (node_ = 0; node_ < region_.nodes.size() && !refusal_; ++node_) add(region_.nodes[node_]);
    if (refusal_) return *refusal_;
    model_.set_ir_version(ir_version(opset_));
    model_.set_producer_name("byoc");
    auto* opset = model_.add_opset_import();
    opset->set_domain("");
    opset->set_version(opset_);
    auto* metadata = model_.add_metadata_props();
    metadata->set_key("byoc.requant");
    metadata->set_value(region_.requant == Requant::tflite ? "tflite" : "onnx");
    return assemble();
  }

 private:
  // Tells why ONNX cannot say what the node says; returns "".
  std::string refuse(std::string text) {
    if (!refusal_) refusal_ = OnnxRefusal{node_, std::move(text)};
    return {};
  }
  static std::string name(ValueId v) { return "v" + std::to_string(v); }
  std::string fresh(const std::string& stem) { return stem + std::to_string(count_++); }

  void choose_opset() {
    for (const Node& n : region_.nodes) {
      if (n.domain.empty()) opset_ = std::max(opset_, n.version);
      const Integers dilations = n.integers("dilations", {});
      if (n.op == "AveragePool" && std::any_of(dilations.begin(), dilations.end(), [](auto d) { return d != 1; }))
        opset_ = std::max(opset_, kOpsetOfDilatedAverages);
      if (n.op == "GridSample") opset_ = std::max(opset_, kOpsetOfGridSample);
    }
    for (const Value& v : region_.values) {
      opset_ = std::max(opset_, ir::onnx_opset(v.dtype));
      if (v.quantised() && bit_width(v.dtype) == 16) opset_ = std::max(opset_, kOpsetOfQuantised16);
    }
  }

  void describe(ValueId v, ::onnx::ValueInfoProto& out) const {
    out.set_name(name(v));
    auto* type = out.mutable_type()->mutable_tensor_type();
    type->set_elem_type(onnx_type(region_.values[v].dtype));
    auto* shape = type->mutable_shape();
    for (const std::int64_t d : region_.values[v].dims) shape->add_dim()->set_dim_value(d);
  }

  // Initialisers.
  std::string initialise(const std::string& as, DType dtype, const Integers& dims, std::span<const std::byte> bytes) {
    auto* t = graph_.add_initializer();
    t->set_name(as);
    t->set_data_type(onnx_type(dtype));
    for (const std::int64_t d : dims) t->add_dims(d);
    payloads_.push_back({static_cast<std::size_t>(graph_.initializer_size() - 1), bytes});
    return as;
  }
  template <class T>
  std::string initialise(DType dtype, const Integers& dims, const std::vector<T>& elements) {
    const auto bytes = std::as_bytes(std::span(elements));
    const std::string& kept = own_.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return initialise(fresh("c"), dtype, dims, std::as_bytes(std::span(kept)));
  }
  std::string shape_constant(const Integers& dims) {
    return initialise(DType::i64, {static_cast<std::int64_t>(dims.size())}, dims);
  }
  std::string scalar(float f) { return initialise(DType::f32, {}, std::vector<float>{f}); }
  // A zero point, or several, of an integer type.
  std::string zero_points(DType dtype, const Integers& dims, const Integers& elements) {
    std::string bytes;
    if (const unsigned bits = bit_width(dtype); bits < 8) {
      std::vector<unsigned> codes;
      for (const std::int64_t e : elements) codes.push_back(static_cast<unsigned>(e) & ((1u << bits) - 1));
      for (const std::byte b : ir::pack(codes, bits)) bytes.push_back(static_cast<char>(b));
    } else {
      for (const std::int64_t e : elements) bytes.append(reinterpret_cast<const char*>(&e), bits / 8);
    }
    return initialise(fresh("c"), dtype, dims, std::as_bytes(std::span(own_.emplace_back(std::move(bytes)))));
  }

  // A node; its first output's name.
  std::string emit(const std::string& op, const std::vector<std::string>& inputs,
                   const std::vector<std::string>& outputs) {
    last_ = graph_.add_node();
    last_->set_op_type(op);
    last_->set_name(region_.nodes[node_].name);
    for (const std::string& i : inputs) last_->add_input(i);
    for (const std::string& o : outputs) last_->add_output(o);
    return outputs[0];
  }
  std::string emit(const std::string& op, const std::vector<std::string>& inputs) {
    return emit(op, inputs, {fresh("t")});
  }
  void attribute(const std::string& key, const codegen::Attribute& value) {
    auto* a = last_->add_attribute();
    a->set_name(key);
    if (const auto* i = std::get_if<std::int64_t>(&value)) {
      a->set_type(::onnx::AttributeProto::INT);
      a->set_i(*i);
    } else if (const auto* f = std::get_if<float>(&value)) {
      a->set_type(::onnx::AttributeProto::FLOAT);
      a->set_f(*f);
    } else if (const auto* s = std::get_if<std::string>(&value)) {
      a->set_type(::onnx::AttributeProto::STRING);
      a->set_s(*s);
    } else if (const auto* is = std::get_if<Integers>(&value)) {
      a->set_type(::onnx::AttributeProto::INTS);
      for (const std::int64_t e : *is) a->add_ints(e);
    } else if (const auto* fs = std::get_if<std::vector<float>>(&value)) {
      a->set_type(::onnx::AttributeProto::FLOATS);
      for (const float e : *fs) a->add_floats(e);
    } else if (const auto* ss = std::get_if<std::vector<std::string>>(&value)) {
      a->set_type(::onnx::AttributeProto::STRINGS);
      for (const std::string& e : *ss) a->add_strings(e);
    }
  }
  std::string transpose(const std::string& x, const Integers& perm) {
    const std::string out = emit("Transpose", {x});
    attribute("perm", perm);
    return out;
  }

  // Scales and zero points of a quantisation as operands; `axis` where it is per axis.
  struct Steps {
    std::string scale, zero_point;
    std::optional<std::int64_t> axis;
  };
  Steps steps(const Quantisation& q, DType dtype, bool ignore_zero_points = false) {
    const Integers dims = q.per_axis() ? Integers{static_cast<std::int64_t>(q.scales.size())} : Integers{};
    const Integers zeros = ignore_zero_points ? Integers(q.zero_points.size(), 0) : q.zero_points;
    return {initialise(DType::f32, dims, q.scales), zero_points(dtype, dims, zeros),
            q.per_axis() ? std::optional<std::int64_t>(q.axis) : std::nullopt};
  }
  std::string dequantise(const std::string& x, const Steps& s) {
    const std::string out = emit("DequantizeLinear", {x, s.scale, s.zero_point});
    if (s.axis) attribute("axis", *s.axis);
    return out;
  }
  void quantise(const std::string& x, const Quantisation& q, ValueId to) {
    const Steps s = steps(q, region_.values[to].dtype);
    emit("QuantizeLinear", {x, s.scale, s.zero_point}, {name(to)});
    if (s.axis) attribute("axis", *s.axis);
  }

  // The value as it is stored.
  std::string stored(ValueId v) {
    if (v == kNoValue) return {};
    const Value& value = region_.values[v];
    if (value.is_constant && written_.insert(v).second) initialise(name(v), value.dtype, value.dims, value.data);
    return name(v);
  }
  // The value as a real number, if it is quantised.
  std::string real(ValueId v) {
    if (v == kNoValue || !region_.values[v].quantised()) return stored(v);
    const auto known = reals_.find(v);
    if (known != reals_.end()) return known->second;
    const Value& value = region_.values[v];
    return reals_[v] = dequantise(stored(v), steps(value.quantisation, value.dtype));
  }

  // A filter of another layout, in ONNX's.
  std::string filter(const Node& n, ValueId v) {
    const Value& w = region_.values[v];
    const std::string layout = n.text("filter_layout", "");
    const std::size_t rank = w.dims.size();
    // OHWI and IHWO (1, H, W, O); of ConvTranspose, OHWI becomes I, O, spatial.
    Integers perm(rank);
    std::iota(perm.begin(), perm.end(), 0);
    if (layout == "OHWI" && n.op == "Conv") {
      perm = to_channels_first(rank);
    } else if (layout == "IHWO" || layout == "OHWI") {
      perm[0] = static_cast<std::int64_t>(rank) - 1;
      perm[1] = 0;
      for (std::size_t i = 2; i < rank; ++i) perm[i] = static_cast<std::int64_t>(i) - 1;
    }
    const bool moved = !std::is_sorted(perm.begin(), perm.end());
    std::string stored_name = !moved ? stored(v) : w.is_constant ? transposed(w, perm) : "";
    if (stored_name.empty()) return transpose(real(v), perm);
    if (!w.quantised()) return stored_name;
    Quantisation q = w.quantisation;
    if (q.per_axis()) q.axis = static_cast<std::int32_t>(std::find(perm.begin(), perm.end(), q.axis) - perm.begin());
    // TensorFlow Lite's convolutions do not look at zero points of weights.
    return dequantise(stored_name, steps(q, w.dtype, region_.requant == Requant::tflite));
  }

  std::string transposed(const Value& w, const Integers& perm) {
    if (bit_width(w.dtype) < 8) return refuse("filters of fewer than 8 bits in another layout than ONNX's");
    const std::size_t size = bit_width(w.dtype) / 8;
    Integers strides(w.dims.size(), 1);
    for (std::size_t i = strides.size(); i-- > 1;) strides[i - 1] = strides[i] * w.dims[i];
    Integers dims;
    for (const std::int64_t p : perm) dims.push_back(w.dims[static_cast<std::size_t>(p)]);
    std::string bytes;
    bytes.reserve(w.data.size());
    Integers index(dims.size(), 0);
    for (std::int64_t i = 0; i < w.elements(); ++i) {
      std::int64_t at = 0;
      for (std::size_t d = 0; d < dims.size(); ++d) at += index[d] * strides[static_cast<std::size_t>(perm[d])];
      bytes.append(reinterpret_cast<const char*>(w.data.data()) + static_cast<std::size_t>(at) * size, size);
      for (std::size_t d = dims.size(); d-- > 0 && ++index[d] == dims[d];) index[d] = 0;
    }
    return initialise(fresh("c"), w.dtype, dims, std::as_bytes(std::span(own_.emplace_back(std::move(bytes)))));
  }

  // The bias of a quantised product, whose step is that of the input times that of the weights.
  std::string bias(const Node& n) {
    if (n.inputs.size() < 3 || n.inputs[2] == kNoValue) return {};
    const Value& x = region_.values[n.inputs[0]];
    const Value& w = region_.values[n.inputs[1]];
    const Value& b = region_.values[n.inputs[2]];
    if (!x.quantised() || !w.quantised()) return real(n.inputs[2]);
    std::vector<float> scales;
    for (const float s : w.quantisation.scales) scales.push_back(s * x.quantisation.scales[0]);
    const bool per_axis = scales.size() > 1;
    if (b.dtype == DType::i32) {
      const Integers dims = per_axis ? Integers{static_cast<std::int64_t>(scales.size())} : Integers{};
      const std::string out = emit("DequantizeLinear", {stored(n.inputs[2]), initialise(DType::f32, dims, scales)});
      if (per_axis) attribute("axis", std::int64_t{0});
      return out;
    }
    if (b.dtype != DType::i64 || !b.is_constant) return refuse("a bias of this type");
    std::vector<float> reals;  // DequantizeLinear takes no i64
    for (std::size_t i = 0; i < b.data.size() / sizeof(std::int64_t); ++i) {
      std::int64_t e = 0;
      std::memcpy(&e, b.data.data() + i * sizeof e, sizeof e);
      reals.push_back(static_cast<float>(static_cast<double>(e) * static_cast<double>(scales[per_axis ? i : 0])));
    }
    return initialise(DType::f32, b.dims, reals);
  }

  std::string activated(const Node& n, const std::string& x) {
    const std::string activation = n.text("activation", "none");
    if (activation == "none") return x;
    if (activation == "relu") return emit("Relu", {x});
    if (activation != "relu6" && activation != "relu_n1_to_1")
      return refuse("the fused activation '" + activation + "'");
    return emit("Clip", {x, scalar(activation == "relu6" ? 0.0F : -1.0F), scalar(activation == "relu6" ? 6.0F : 1.0F)});
  }

  // Gives `x`, the real result before quantisation, to the value.
  void finish(const Node& n, const std::string& x, ValueId to) {
    const Value& y = region_.values[to];
    if (!y.quantised()) {
      // If the value has no other reader, the last node computes it directly.
      if (n.op != "Dequantize" && last_ != nullptr && last_->output(0) == x)
        last_->set_output(0, name(to));
      else
        emit("Identity", {x}, {name(to)});
      return;
    }
    // TensorFlow Lite's clamps, as operators, leave integers unchanged.
    const bool clamps = region_.requant == Requant::tflite && n.domain.empty() && (n.op == "Relu" || n.op == "Clip");
    const Value& from = region_.values[n.inputs[0]];
    quantise(x, clamps && from.quantised() ? from.quantisation : y.quantisation, to);
  }

  void copy_attributes(const Node& n) {
    static const std::set<std::string_view> kOurs = {"activation",  "batch_dims",    "beta",
                                                     "data_layout", "filter_layout", "keep_num_dims"};
    const auto is_new = [&](const std::string& key) {
      return n.op == "AveragePool" && key == "dilations" && opset_ < kOpsetOfDilatedAverages;
    };
    for (const auto& [key, value] : n.attributes) {
      if (is_new(key)) continue;
      if (!kOurs.contains(key) || (key == "beta" && n.op == "Gemm")) attribute(key, value);
    }
    if (n.op == "Split" && (n.inputs.size() < 2 || n.inputs[1] == kNoValue) &&
        n.find<std::int64_t>("num_outputs") == nullptr)
      attribute("num_outputs", static_cast<std::int64_t>(n.outputs.size()));
  }

  void check(const Node& n) {
    const bool known = n.domain.empty() ||
                       (n.domain == "byoc" && (n.op == "Quantize" || n.op == "Dequantize" || n.op == "FullyConnected"));
    if (!known) refuse("ONNX has no such operator");
    if (n.op == "ConstantOfShape") refuse("its value is not at hand");
    if (n.integer("batch_dims", 0) != 0) refuse("batch_dims other than 0");
    if (n.op == "Pad" && n.text("mode", "constant") == "symmetric") refuse("the mode 'symmetric'");
    if (n.op == "Resize" && n.text("nearest_mode", "") == "simple") refuse("the nearest_mode 'simple'");
  }

  void add(const Node& n) {
    check(n);
    if (refusal_) return;
    if (n.domain == "byoc" && n.op != "FullyConnected") {
      finish(n, real(n.inputs[0]), n.outputs[0]);
    } else if (n.domain == "byoc") {
      add_fully_connected(n);
    } else if (moves_elements(n)) {
      std::vector<std::string> inputs;
      std::vector<std::string> outputs;
      for (const ValueId v : n.inputs) inputs.push_back(stored(v));
      for (const ValueId v : n.outputs) outputs.push_back(v == kNoValue ? "" : name(v));
      emit(n.op, inputs, outputs);
      copy_attributes(n);
    } else {
      add_computing(n);
    }
  }

  void add_computing(const Node& n) {
    const bool nhwc = has_layout(n) && n.text("data_layout", "NCHW") == "NHWC";
    const bool convolves = n.op == "Conv" || n.op == "ConvTranspose";
    std::vector<std::string> inputs;
    for (std::size_t i = 0; i < n.inputs.size(); ++i) {
      std::string x = convolves && i == 1 ? filter(n, n.inputs[1]) : convolves && i == 2 ? bias(n) : real(n.inputs[i]);
      if (i == 0 && nhwc) x = transpose(x, to_channels_first(region_.values[n.inputs[0]].dims.size()));
      if (i == 0 && n.op == "Softmax" && n.real("beta", 1) != 1) x = emit("Mul", {x, scalar(n.real("beta", 1))});
      inputs.push_back(std::move(x));
    }
    if (n.op == "Gemm" && n.inputs.size() > 2) inputs[2] = bias(n);
    std::vector<std::string> outputs;
    for (const ValueId v : n.outputs)
      outputs.push_back(v == kNoValue ? "" : is_plain(n, v, nhwc) ? name(v) : fresh("t"));
    emit(n.op, inputs, outputs);
    copy_attributes(n);
    for (std::size_t i = 0; i < n.outputs.size(); ++i) {
      const ValueId v = n.outputs[i];
      if (v == kNoValue || outputs[i] == name(v)) continue;
      std::string y = i == 0 ? activated(n, outputs[i]) : outputs[i];
      if (nhwc) y = transpose(y, to_channels_last(region_.values[v].dims.size()));
      finish(n, y, v);
    }
  }

  // True if there is nothing between the operator and the value.
  bool is_plain(const Node& n, ValueId v, bool nhwc) const {
    return !nhwc && !region_.values[v].quantised() && n.text("activation", "none") == "none";
  }

  void add_fully_connected(const Node& n) {
    const Value& w = region_.values[n.inputs[1]];
    const Value& x = region_.values[n.inputs[0]];
    const Integers rows = {x.elements() / std::max<std::int64_t>(w.dims[1], 1), w.dims[1]};
    std::string in = real(n.inputs[0]);
    if (x.dims != rows) in = emit("Reshape", {in, shape_constant(rows)});
    std::vector<std::string> inputs = {in, real(n.inputs[1])};
    if (std::string b = bias(n); !b.empty()) inputs.push_back(std::move(b));
    std::string y = emit("Gemm", inputs);
    attribute("transB", std::int64_t{1});
    y = activated(n, y);
    const Integers& dims = region_.values[n.outputs[0]].dims;
    if (dims != Integers{rows[0], w.dims[0]}) y = emit("Reshape", {y, shape_constant(dims)});
    finish(n, y, n.outputs[0]);
  }

  // Protobuf's wire format: fields may come in any order, and a payload is the field raw_data of its tensor.
  static void append_varint(std::string& out, std::uint64_t n) {
    for (; n >= 0x80; n >>= 7) out += static_cast<char>((n & 0x7f) | 0x80);
    out += static_cast<char>(n);
  }
  // The tag of a field of bytes, and their number.
  static void append_field(std::string& out, int number, std::uint64_t size) {
    append_varint(out, static_cast<std::uint64_t>(number) << 3 | 2);
    append_varint(out, size);
  }

  OnnxModel assemble() {
    OnnxModel out;
    std::vector<std::string> heads;  // of each initialiser, up to its payload
    std::uint64_t size = 0;
    for (const Payload& p : payloads_) {
      std::string tensor = graph_.initializer(static_cast<int>(p.initialiser)).SerializeAsString();
      append_field(tensor, ::onnx::TensorProto::kRawDataFieldNumber, p.bytes.size());
      std::string head;
      append_field(head, ::onnx::GraphProto::kInitializerFieldNumber, tensor.size() + p.bytes.size());
      heads.push_back(head + tensor);
      size += heads.back().size() + p.bytes.size();
    }
    graph_.clear_initializer();
    const std::string graph = graph_.SerializeAsString();
    model_.clear_graph();
    std::string head = model_.SerializeAsString();
    append_field(head, ::onnx::ModelProto::kGraphFieldNumber, graph.size() + size);
    head += graph;
    out.own = std::move(own_);  // constants made here; its elements stay where they are
    const auto add = [&](std::string text) {
      out.pieces.push_back(std::as_bytes(std::span(out.own.emplace_back(std::move(text)))));
    };
    add(std::move(head));
    for (std::size_t i = 0; i < payloads_.size(); ++i) {
      add(std::move(heads[i]));
      if (!payloads_[i].bytes.empty()) out.pieces.push_back(payloads_[i].bytes);
    }
    return out;
  }

  const Region& region_;
  ::onnx::ModelProto model_;
  ::onnx::GraphProto& graph_;
  ::onnx::NodeProto* last_ = nullptr;
  std::int64_t opset_ = kOpset;
  NodeId node_ = 0;  // that is being added
  std::optional<OnnxRefusal> refusal_;
  std::size_t count_ = 0;
  std::set<ValueId> written_;             // constants that are initialisers
  std::map<ValueId, std::string> reals_;  // dequantised values
  std::vector<Payload> payloads_;
  std::deque<std::string> own_;
};

}  // namespace

bool rounds_as_tflite(const Region& region) {
  return region.requant == Requant::tflite &&
         std::any_of(region.values.begin(), region.values.end(), [](const codegen::Value& v) { return v.quantised(); });
}

std::variant<OnnxModel, OnnxRefusal> onnx_model(const Region& region) { return Writer(region).write(); }

}  // namespace byoc::plugin
