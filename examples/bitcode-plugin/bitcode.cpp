// bitcode: a codegen that hands over LLVM bitcode, as a vendor's whose compiler is made of LLVM would. A model becomes
// a tree of LLVM and C modules. It claims
//   Add, Sub, Mul, Neg  functions of the model's own, a loop each;
//   Softsign            a loop around a C function that the vendor has already; with --lto there is no call left;
//   MatMul              by a constant matrix: a kernel that all models share, and weights that byoc lays out and
//   writes.
#include <algorithm>
#include <map>

#include "functions.hpp"

namespace {

using byoc::codegen::Arrangement;
using byoc::codegen::ArtifactDecl;
using byoc::codegen::ArtifactKind;
using byoc::codegen::ConstantDecl;
using byoc::codegen::kNoNode;
using byoc::codegen::NodeId;
using byoc::codegen::SourceDecl;

// What "the vendor has already".
constexpr const char* kSoftsign = R"(
float SOFTSIGN(float x);
float SOFTSIGN(float x) { return x / (1.0f + (x < 0.0f ? -x : x)); }
)";

bool is_one_of(const std::string& op, std::initializer_list<const char*> names) {
  return std::find(names.begin(), names.end(), op) != names.end();
}

class Bitcode final : public byoc::PluginCodegen {
 public:
  using PluginCodegen::PluginCodegen;

  Verdict verdict(const Region& model, const Node& node) const override {
    if (!node.domain.empty() || !is_one_of(node.op, {"Add", "Sub", "Mul", "Neg", "Softsign", "MatMul"}))
      return refuse(Reason::unsupported_op, "only Add, Sub, Mul, Neg, Softsign and MatMul are known");
    if (node.text("activation", "none") != "none")
      return refuse(Reason::unsupported_attribute, "no fused activation is known");
    const Value& out = model.values[node.outputs[0]];
    if (out.elements() == 0 || out.elements() > INT32_MAX)
      return refuse(Reason::unsupported_shape, "found " + std::to_string(out.elements()) + " elements");
    for (auto id : node.inputs)
      if (const Value& in = model.values[id]; in.dtype != byoc::DType::f32)
        return refuse(Reason::unsupported_dtype, "found " + std::string(to_string(in.dtype)) + ", expected f32");
    if (node.op == "MatMul") return verdict_on_product(model, node);
    for (auto id : node.inputs) {
      const Value& in = model.values[id];
      if (in.dims != out.dims) return refuse(Reason::unsupported_shape, "no broadcasting is known");
      if (in.is_constant) return refuse(Reason::not_constant, "constant inputs are not known");
    }
    return node.op == "Softsign" ? within(1e-6) : claim();  // one division, where the reference has doubles
  }

  bool compile(const Request& request, Host& host) override {
    const bitcode::Machine machine = bitcode::machine_of(target);
    if (machine.layout.empty()) {
      host.diag(byoc::codegen::Severity::error, request.regions[0], kNoNode, machine.why);
      return false;
    }
    std::vector<bitcode::Elementwise> elementwise;
    std::vector<bitcode::Product> products;
    std::string softsign;
    kernels_.clear();
    for (const Region& region : request.regions)
      for (NodeId n = 0; n < region.nodes.size(); ++n) {
        const Node& node = region.nodes[n];
        if (node.op == "Softsign" && softsign.empty()) softsign = softsign_in_c(host);
        if (node.op == "MatMul")
          products.push_back(product(region, n, machine, host));
        else
          elementwise.push_back(one_by_one(region, n, softsign, host));
      }
    hand_over("bitcode", elementwise, bitcode::elementwise(machine, elementwise), host);
    hand_over("bitcode_products", products, bitcode::product_steps(machine, products), host);
    return true;
  }

 private:
  static Verdict verdict_on_product(const Region& model, const Node& node) {
    const Value &x = model.values[node.inputs[0]], &w = model.values[node.inputs[1]];
    if (!w.is_constant) return refuse(Reason::not_constant, "found a computed right operand, expected a constant");
    if (x.is_constant || x.dims.size() < 2 || w.dims.size() != 2 || w.elements() == 0)
      return refuse(Reason::unsupported_shape, "expected rows by a matrix");
    return within(1e-5);  // sums in another order than the reference's
  }
  static Verdict within(double tolerance) {
    Verdict out = claim();
    out.exactness = byoc::codegen::Exactness::relative;
    out.tolerance = tolerance;
    return out;
  }

  // The module with all functions of one kind, and the symbols in it that steps name.
  template <class Function>
  static void hand_over(const char* name, const std::vector<Function>& functions, std::vector<std::byte> bytes,
                        Host& host) {
    if (functions.empty()) return;
    ArtifactDecl artifact;
    artifact.kind = ArtifactKind::llvm_bitcode;
    artifact.name = host.claim(name);
    for (const Function& f : functions) artifact.defines.push_back(f.symbol);
    host.artifact(artifact, std::move(bytes));
  }

  // C beside LLVM: byoc compiles it for the same target, and --lto makes one module of both.
  static std::string softsign_in_c(Host& host) {
    const std::string symbol = host.claim("softsign");
    SourceDecl source;
    source.name = symbol;
    source.defines = {"SOFTSIGN=" + symbol};
    host.source(source, kSoftsign);
    return symbol;
  }

  static bitcode::Elementwise one_by_one(const Region& region, NodeId n, const std::string& softsign, Host& host) {
    const Node& node = region.nodes[n];
    Step step;
    step.symbol = host.claim("bitcode_" + node.op);
    step.nodes = {n};
    step.kernel = "bitcode";
    step.outputs = {{node.outputs[0]}};
    for (auto id : node.inputs) {
      step.overlays.push_back({0, static_cast<std::uint32_t>(step.inputs.size())});
      step.inputs.push_back({id});
    }
    host.step(region, step);
    return {step.symbol, node.op, softsign, static_cast<unsigned>(node.inputs.size()),
            static_cast<std::uint64_t>(region.values[node.outputs[0]].elements())};
  }

  // The kernel is a module of its own with a name that says what it computes: products of one shape, and those of other
  // models in the same firmware, have it together. byoc adds to the name what it is made of.
  static std::string kernel_of(const bitcode::Matrix& m, const bitcode::Machine& machine, Host& host,
                               std::map<std::string, bool>& known) {
    const std::string symbol = "bitcode_product_" + std::to_string(m.rows) + "_" + std::to_string(m.depth) + "_" +
                               std::to_string(m.columns) + "_" + std::to_string(machine.lanes);
    if (!known.emplace(symbol, true).second) return symbol;
    ArtifactDecl artifact;
    artifact.kind = ArtifactKind::llvm_bitcode;
    artifact.name = artifact.symbol = symbol;
    artifact.shared = true;
    artifact.effort = byoc::codegen::Effort::hot;
    host.artifact(artifact, bitcode::product_kernel(machine, symbol, m));
    return symbol;
  }

  // Weights by reference, in blocks of columns: byoc makes them while it writes the library. They are in no module.
  static std::string weights_of(const Region& region, const Node& node, const bitcode::Matrix& m,
                                const bitcode::Machine& machine, Host& host) {
    enum : std::uint32_t { depth, column };
    ConstantDecl constant;
    constant.symbol = host.claim("bitcode_weights");
    constant.element = byoc::DType::f32;
    constant.align = 64;
    Arrangement blocks;
    blocks.element_size = sizeof(float);
    blocks.axes = {{m.depth, m.columns}, {m.columns, 1}};
    blocks.loops = {{(m.columns + machine.lanes - 1) / machine.lanes, column, machine.lanes},
                    {m.depth, depth, 1},
                    {machine.lanes, column, 1}};
    host.constant_arranged(constant, region, node.inputs[1], blocks);
    return constant.symbol;
  }

  bitcode::Product product(const Region& region, NodeId n, const bitcode::Machine& machine, Host& host) {
    const Node& node = region.nodes[n];
    const Value& w = region.values[node.inputs[1]];
    const auto depth = static_cast<std::uint64_t>(w.dims[0]), columns = static_cast<std::uint64_t>(w.dims[1]);
    const bitcode::Matrix m{static_cast<std::uint64_t>(region.values[node.inputs[0]].elements()) / depth, depth,
                            columns};
    Step step;
    step.symbol = host.claim("bitcode_MatMul");
    step.nodes = {n};
    step.kernel = kernel_of(m, machine, host, kernels_);
    step.inputs = {{node.inputs[0]}};
    step.outputs = {{node.outputs[0]}};
    step.macs = m.rows * m.depth * m.columns;
    host.step(region, step);
    return {step.symbol, step.kernel, weights_of(region, node, m, machine, host)};
  }

  std::map<std::string, bool> kernels_;  // that were handed over
};

}  // namespace

BYOC_PLUGIN(
    Bitcode,
    {.id = "org.example.bitcode", .name = "Bitcode", .vendor = "Example", .version = "1.1", .license = "Apache-2.0"});
