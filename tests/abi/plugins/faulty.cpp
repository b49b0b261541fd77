// A sound codegen that misreads one form of one operator, as the option `fault` says: what a vendor overlooks. It hands
// the reference C backend a region in which that form is changed, so all else is right.
#include <algorithm>
#include <stdexcept>

#include "backends/reference.hpp"
#include "byoc/forwarding_host.hpp"
#include "byoc/plugin.hpp"

namespace {

using byoc::codegen::Node;
using byoc::codegen::NodeId;
using byoc::codegen::Region;
using byoc::codegen::Value;
using byoc::codegen::ValueId;
using Integers = std::vector<std::int64_t>;

// A node with its region.
struct At {
  Region& region;
  Node& node;
  [[nodiscard]] Value& input(std::size_t i) const { return region.values[node.inputs[i]]; }
  [[nodiscard]] Value& output() const { return region.values[node.outputs[0]]; }
  [[nodiscard]] bool has(std::size_t i) const {
    return i < node.inputs.size() && node.inputs[i] != byoc::codegen::kNoValue;
  }
  [[nodiscard]] bool is_i8() const { return input(0).dtype == byoc::DType::i8; }
  [[nodiscard]] bool is_float() const { return input(0).dtype == byoc::DType::f32; }
  [[nodiscard]] bool nhwc() const { return node.text("data_layout", "") == "NHWC"; }
  [[nodiscard]] std::int64_t channels() const { return nhwc() ? input(0).dims.back() : input(0).dims[1]; }
  [[nodiscard]] std::int64_t group() const { return node.integer("group", 1); }
  [[nodiscard]] bool depthwise() const { return group() == channels(); }
  [[nodiscard]] Integers kernel() const { return node.integers("kernel_shape", {1, 1}); }
  [[nodiscard]] Integers pads() const { return node.integers("pads", {0, 0, 0, 0}); }
  [[nodiscard]] bool acts(const char* as) const { return node.text("activation", "none") == as; }
  [[nodiscard]] bool uneven_pads() const { return pads()[0] != pads()[2] || pads()[1] != pads()[3]; }
};

// Wrong by a little: a scale.
void scale(const At& at) {
  if (at.output().quantised()) at.output().quantisation.scales[0] *= 1.1f;
}
void no_activation(const At& at) { at.node.attributes.erase("activation"); }
void no_dilation(const At& at) { at.node.attributes["dilations"] = Integers{1, 1}; }
void mirrored_pads(const At& at) {
  const Integers p = at.pads();
  at.node.attributes["pads"] = Integers{p[2], p[3], p[0], p[1]};
}
void no_beta(const At& at) { at.node.attributes.erase("beta"); }
void other_alpha(const At& at) { at.node.attributes["alpha"] = at.node.real("alpha", 0.01f) * 1.5f; }
void no_bias(const At& at) { at.node.inputs.resize(2); }

struct Fault {
  const char* name;
  const char* op;
  bool (*form)(const At&);
  void (*change)(const At&);
};

const Fault kFaults[] = {
    {"dense-batch", "FullyConnected", [](const At& a) { return a.is_i8() && a.input(0).dims[0] > 1; }, scale},
    {"dense-no-bias", "FullyConnected", [](const At& a) { return a.is_i8() && !a.has(2); }, scale},
    {"dense-bias", "FullyConnected", [](const At& a) { return a.is_i8() && a.has(2); }, no_bias},
    {"dense-one-scale", "FullyConnected",
     [](const At& a) { return a.is_i8() && a.input(1).quantisation.scales.size() == 1 && a.input(1).dims[0] > 1; },
     scale},
    {"dense-relu6", "FullyConnected", [](const At& a) { return a.is_i8() && a.acts("relu6"); }, no_activation},
    {"dense-keep", "FullyConnected", [](const At& a) { return a.is_i8() && a.node.integer("keep_num_dims", 0) == 1; },
     scale},
    {"dense-one-unit", "FullyConnected", [](const At& a) { return a.is_i8() && a.input(1).dims[0] == 1; }, scale},
    {"dense-one-input", "FullyConnected", [](const At& a) { return a.is_i8() && a.input(1).dims[1] == 1; }, scale},
    {"dense-float-relu", "FullyConnected", [](const At& a) { return a.is_float() && a.acts("relu"); }, no_activation},
    {"conv-dilated", "Conv",
     [](const At& a) { return a.is_i8() && !a.depthwise() && a.node.integers("dilations", {1, 1}) != Integers{1, 1}; },
     no_dilation},
    {"conv-depthwise-dilated", "Conv",
     [](const At& a) { return a.is_i8() && a.depthwise() && a.node.integers("dilations", {1, 1}) != Integers{1, 1}; },
     no_dilation},
    {"conv-float-dilated", "Conv",
     [](const At& a) { return a.is_float() && a.node.integers("dilations", {1, 1}) != Integers{1, 1}; }, no_dilation},
    {"conv-grouped", "Conv", [](const At& a) { return a.is_i8() && a.group() > 1 && !a.depthwise(); }, scale},
    {"conv-multiplier", "Conv",
     [](const At& a) { return a.is_i8() && a.depthwise() && a.input(1).dims.back() > a.channels(); }, scale},
    {"conv-depthwise-ohwi", "Conv",
     [](const At& a) { return a.is_i8() && a.depthwise() && a.node.text("filter_layout", "") == "OHWI"; }, scale},
    {"conv-1xn", "Conv", [](const At& a) { return a.is_i8() && a.kernel()[0] == 1 && a.kernel()[1] > 1; }, scale},
    {"conv-nx1", "Conv", [](const At& a) { return a.is_i8() && a.kernel()[0] > 1 && a.kernel()[1] == 1; }, scale},
    {"conv-1x1", "Conv", [](const At& a) { return a.is_i8() && a.kernel() == Integers{1, 1}; }, scale},
    {"conv-no-bias", "Conv", [](const At& a) { return a.is_i8() && !a.has(2); }, scale},
    {"conv-one-scale", "Conv",
     [](const At& a) { return a.is_i8() && a.input(1).quantisation.scales.size() == 1 && a.output().dims.back() > 1; },
     scale},
    {"conv-pads", "Conv", [](const At& a) { return a.is_i8() && a.uneven_pads(); }, mirrored_pads},
    {"conv-relu", "Conv", [](const At& a) { return a.is_i8() && a.acts("relu"); }, no_activation},
    {"conv-relu-n1-to-1", "Conv", [](const At& a) { return a.is_i8() && a.acts("relu_n1_to_1"); }, no_activation},
    {"conv-batch", "Conv", [](const At& a) { return a.is_i8() && a.input(0).dims[0] > 1; }, scale},
    {"conv-one-channel", "Conv", [](const At& a) { return a.is_i8() && a.channels() == 1; }, scale},
    {"conv-strides", "Conv",
     [](const At& a) {
       const Integers s = a.node.integers("strides", {1, 1});
       return a.is_i8() && s[0] != s[1];
     },
     scale},
    {"conv-i16", "Conv", [](const At& a) { return a.input(0).dtype == byoc::DType::i16; }, scale},
    {"max-pool-pads", "MaxPool", [](const At& a) { return a.is_i8() && a.uneven_pads(); }, mirrored_pads},
    {"max-pool-relu", "MaxPool", [](const At& a) { return a.is_i8() && a.acts("relu"); }, no_activation},
    {"average-pool-pads", "AveragePool", [](const At& a) { return a.is_i8() && a.uneven_pads(); }, mirrored_pads},
    {"softmax-beta", "Softmax", [](const At& a) { return a.is_i8() && a.node.find<float>("beta") != nullptr; },
     no_beta},
    {"add-broadcast", "Add", [](const At& a) { return a.is_i8() && a.input(0).dims != a.input(1).dims; }, scale},
    {"mul-relu6", "Mul", [](const At& a) { return a.is_i8() && a.acts("relu6"); }, no_activation},
    {"sub-scalar", "Sub", [](const At& a) { return a.is_i8() && a.input(1).dims.empty(); }, scale},
    {"mean-last", "ReduceMean",
     [](const At& a) { return a.is_i8() && a.input(0).dims.size() == a.output().dims.size() + 1; }, scale},
    {"leaky-relu", "LeakyRelu", [](const At& a) { return a.is_i8(); }, other_alpha},
};

// The reference codegen sees changed copies; the host gets its own regions back.
class Original final : public byoc::codegen::ForwardingHost {
 public:
  Original(byoc::codegen::Host& to, std::span<const Region> own, const std::vector<Region>& copies)
      : ForwardingHost(to), own_(own), copies_(copies) {}
  void constant_from_value(const byoc::codegen::ConstantDecl& d, const Region& r, ValueId v, std::uint64_t offset,
                           std::uint64_t length) override {
    ForwardingHost::constant_from_value(d, of(r), v, offset, length);
  }
  void constant_arranged(const byoc::codegen::ConstantDecl& d, const Region& r, ValueId v,
                         const byoc::codegen::Arrangement& how) override {
    ForwardingHost::constant_arranged(d, of(r), v, how);
  }
  void step(const Region& r, const byoc::codegen::Step& s) override { ForwardingHost::step(of(r), s); }
  void alias(const Region& r, ValueId v, ValueId to) override { ForwardingHost::alias(of(r), v, to); }
  void stored_privately(const Region& r, ValueId v, const byoc::codegen::PrivateLayout& l) override {
    ForwardingHost::stored_privately(of(r), v, l);
  }
  void fused(const Region& r, ValueId v, ValueId into) override { ForwardingHost::fused(of(r), v, into); }
  void diag(byoc::codegen::Severity s, const Region& r, NodeId n, std::string_view text) override {
    ForwardingHost::diag(s, of(r), n, text);
  }

 private:
  [[nodiscard]] const Region& of(const Region& copy) const {
    return own_[static_cast<std::size_t>(&copy - copies_.data())];
  }
  std::span<const Region> own_;
  const std::vector<Region>& copies_;
};

class Faulty final : public byoc::PluginCodegen {
 public:
  explicit Faulty(const byoc::PluginContext& context) : PluginCodegen(context) {
    const std::string name(options.text("fault"));
    for (const Fault& f : kFaults)
      if (name == f.name) fault_ = &f;
    if (fault_ == nullptr && name != "none") throw std::runtime_error("there is no fault " + name);
  }

  [[nodiscard]] Verdict verdict(const Region&, const Node&) const override { return {}; }
  [[nodiscard]] std::vector<Verdict> verdicts(const Region& model, const byoc::TargetSpec& t) override {
    std::vector<Verdict> all = inner_->verdicts(model, t);
    for (std::size_t n = 0; n < all.size(); ++n)
      if (!is_mine(model, model.nodes[n]) && all[n].claimed) all[n] = refuse(Reason::unsupported_op, "not mine");
    return all;
  }

  bool compile(const Request& request, Host& host) override {
    std::vector<Region> copies(request.regions.begin(), request.regions.end());
    for (Region& r : copies)
      for (Node& n : r.nodes)
        if (const At at{r, n}; fault_ != nullptr && n.op == fault_->op && fault_->form(at)) fault_->change(at);
    Original original(host, request.regions, copies);
    Request changed = request;
    changed.regions = copies;
    return inner_->compile(changed, original);
  }

 private:
  // The operators with faults; with a fault, its operator and element type alone, for the sake of time.
  [[nodiscard]] bool is_mine(const Region& model, const Node& node) const {
    if (node.inputs.empty() || node.inputs[0] == byoc::codegen::kNoValue) return false;
    const byoc::DType dtype = model.values[node.inputs[0]].dtype;
    const std::string_view name = fault_ == nullptr ? "" : fault_->name;
    if (fault_ != nullptr)
      return node.op == fault_->op && dtype == (name.find("float") != name.npos ? byoc::DType::f32
                                                : name.find("i16") != name.npos ? byoc::DType::i16
                                                                                : byoc::DType::i8);
    return dtype == byoc::DType::i8 &&
           std::any_of(std::begin(kFaults), std::end(kFaults), [&](const Fault& f) { return node.op == f.op; });
  }

  std::unique_ptr<byoc::codegen::Codegen> inner_ = byoc::reference::find("c")->create({});
  const Fault* fault_ = nullptr;
};

}  // namespace

BYOC_PLUGIN(Faulty, {.id = "test.faulty",
                     .name = "Faulty",
                     .vendor = "byoc",
                     .version = "1",
                     .license = "Apache-2.0",
                     .options = {{.name = "fault", .default_value = "none", .help = "the form that is misread"}}});
