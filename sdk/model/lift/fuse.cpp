#include "sdk/model/lift/fuse.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace byoc::lift {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The name of a clamp that operators take as `activation`; "" for one they do not; nullopt for what is no clamp.
std::optional<std::string_view> activation_name(const ir::Graph& graph, const ir::Node& node) {
  if (node.is("", "Relu")) return "relu";
  if (!node.is("", "Clip")) return std::nullopt;
  std::array<float, 2> bounds = {-kInfinity, kInfinity};
  for (std::size_t i = 0; i < 2; ++i) {
    if (node.input(i + 1) == ir::kNoValue) continue;
    const auto bound = floats(graph, node.input(i + 1));
    if (!bound || bound->size() != 1) return std::nullopt;
    bounds[i] = (*bound)[0];
  }
  if (!(bounds[0] <= bounds[1])) return std::nullopt;
  if (bounds[0] == 0 && bounds[1] >= std::numeric_limits<float>::max()) return "relu";
  if (bounds[0] == 0 && bounds[1] == 6) return "relu6";
  if (bounds[0] == -1 && bounds[1] == 1) return "relu_n1_to_1";
  return "";
}

class Fuser {
 public:
  Fuser(ir::Graph& graph, const SourceNodes& literal) : r_(graph, literal) {}

  void run() {
    std::vector<ir::Node> out;
    for (const ir::Node& node : r_.graph.nodes)
      if (!node.is("byoc", "Quantize") || !fuse_before(node, out)) out.push_back(node);
    r_.graph.nodes = std::move(out);
  }

 private:
  // Replaces `quantise` and what is before it; false if it stays.
  bool fuse_before(const ir::Node& quantise, std::vector<ir::Node>& out) {
    const ir::ValueId f = quantise.inputs[0];
    const ir::Node* last = r_.producer(f);
    if (last == nullptr || r_.stays(*last) || r_.reads(f) != 1 || r_.per_tensor(quantise.outputs[0]) == nullptr)
      return false;
    const auto activation = activation_name(r_.graph, *last);
    if (activation && fuse_clamped(*last, *activation, quantise.outputs[0], out)) return true;
    return fuse_plain(*last, quantise.outputs[0], out);
  }

  bool fuse_plain(const ir::Node& node, ir::ValueId y, std::vector<ir::Node>& out) {
    const FuseRule* rule = find_fuse_rule(node);
    if (rule == nullptr) return false;
    auto fused = rule->fuse(r_, {node, y, "none"});
    if (fused) out.push_back(std::move(*fused));
    return fused.has_value();
  }

  // `clamp` between an operator and the Quantize: quantising is monotone, so clamping the integers by the quantised
  // bounds gives the same.
  bool fuse_clamped(const ir::Node& clamp, std::string_view activation, ir::ValueId y, std::vector<ir::Node>& out) {
    const ir::ValueId before = clamp.inputs[0];
    const ir::Node* node = r_.producer(before);
    const FuseRule* rule =
        node != nullptr && !r_.stays(*node) && r_.reads(before) == 1 ? find_fuse_rule(*node) : nullptr;
    if (rule == nullptr) return false;
    if (rule->takes_activation && !activation.empty()) {
      auto fused = rule->fuse(r_, {*node, y, activation});
      if (fused) out.push_back(std::move(*fused));
      return fused.has_value();
    }
    const ir::ValueId unclamped = r_.quantised_like(before, r_.type(y).dtype, *r_.type(y).quantisation);
    if (!fuse_plain(*node, unclamped, out)) return false;
    ir::Node last = clamp;
    last.inputs[0] = unclamped;
    last.outputs = {y};
    out.push_back(std::move(last));
    return true;
  }

  Rewriter r_;
};

}  // namespace

const FuseRule* find_fuse_rule(const ir::Node& node) {
  static constexpr std::array<FuseRule, 12> kRules = {{{"Conv", true, fuse_conv},
                                                       {"Gemm", true, fuse_gemm},
                                                       {"MatMul", true, fuse_matmul},
                                                       {"Add", true, fuse_add},
                                                       {"Sub", true, fuse_arithmetic},
                                                       {"Mul", true, fuse_arithmetic},
                                                       {"Div", false, fuse_arithmetic},
                                                       {"AveragePool", true, fuse_first},
                                                       {"GlobalAveragePool", false, fuse_first},
                                                       {"ReduceMean", false, fuse_first},
                                                       {"Relu", false, fuse_first},
                                                       {"Clip", false, fuse_first}}};
  // Functions of one element: of 8 bits they are tables.
  static constexpr FuseRule kFunction{"", false, fuse_first};
  static constexpr std::array<std::string_view, 21> kFunctions = {
      "Abs",   "Ceil",        "Celu",      "Cos",       "Elu",      "Erf",  "Exp",
      "Floor", "HardSigmoid", "HardSwish", "LeakyRelu", "Mish",     "Neg",  "Round",
      "Selu",  "Sigmoid",     "Sin",       "Softplus",  "Softsign", "Tanh", "ThresholdedRelu"};
  if (!node.domain.empty()) return nullptr;
  if (std::find(kFunctions.begin(), kFunctions.end(), node.op) != kFunctions.end()) return &kFunction;
  for (const FuseRule& rule : kRules)
    if (rule.op == node.op) return &rule;
  return nullptr;
}

void fuse(ir::Graph& graph, const SourceNodes& literal) { Fuser(graph, literal).run(); }

}  // namespace byoc::lift
