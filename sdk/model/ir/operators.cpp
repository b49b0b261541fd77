#include "sdk/model/ir/operators.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "sdk/model/ir/macs.hpp"

namespace byoc::ir {
namespace {

constexpr Arity arity(std::size_t least_inputs, std::size_t most_inputs, std::size_t most_outputs) {
  return {least_inputs, most_inputs, most_outputs};
}

#define OPERATOR(domain, name, since, arity, traits, macs, rule, evaluator) {domain, #name, since, arity, traits, macs},
constexpr Operator kOperators[] = {
#include "sdk/model/ir/operators.inc"
};
#undef OPERATOR

constexpr auto key_of(const Operator& o) { return std::tuple(o.domain, o.name); }
static_assert(std::ranges::adjacent_find(kOperators, std::ranges::greater_equal(), key_of) == std::end(kOperators),
              "operators.inc must be ordered by domain and name, each once");
static_assert(
    std::ranges::all_of(kOperators, [](const Arity& a) { return a.least_inputs <= a.most_inputs; }, &Operator::arity));

}  // namespace

std::span<const Operator> operators() { return kOperators; }

const Operator* find_operator(std::string_view domain, std::string_view name) {
  const auto* it = std::ranges::lower_bound(kOperators, std::tuple(domain, name), {}, key_of);
  return it == std::end(kOperators) || it->domain != domain || it->name != name ? nullptr : it;
}

bool is_foreign(std::string_view domain, std::string_view name) {
  const bool ours = domain.empty() || domain == "byoc" || domain == "ai.onnx" || domain.starts_with("ai.onnx.");
  return !ours && find_operator(domain, name) == nullptr;
}

namespace {

struct Compiled {
  std::string_view domain, op, what;
};
constexpr Compiled kCompiled[] = {
    {"tflite", "ethos-u", "an Ethos-U NPU, by Arm's Vela"},
    {"tflite", "edgetpu-custom-op", "an Edge TPU"},
    {"tflite", "NeutronGraph", "an NPU of NXP, by its Neutron converter"},
    {"tflite", "vsi-npu", "an NPU of VeriSilicon"},
    {"tflite", "DISPATCH_OP", "an accelerator, by a compiler plug-in of LiteRT"},
    {"com.microsoft", "EPContext", "an accelerator, by an execution provider of ONNX Runtime"},
};

}  // namespace

std::string compiled_before(const Node& node) {
  for (const Compiled& c : kCompiled)
    if (node.is(c.domain, c.op))
      return std::string("it was compiled for ") + std::string(c.what) +
             ": take the model from before that, or a plug-in that has this operator";
  return {};
}

CountProblem check_counts(const Operator& op, std::size_t inputs, std::size_t outputs) {
  const Arity& a = op.arity;
  if (inputs < a.least_inputs || inputs > a.most_inputs)
    return {"wrong number of inputs", inputs,
            a.most_inputs == kAny ? "at least " + std::to_string(a.least_inputs)
                                  : std::to_string(a.least_inputs) + " to " + std::to_string(a.most_inputs)};
  if (outputs == 0 || outputs > a.most_outputs)
    return {"wrong number of outputs", outputs, "1 to " + std::to_string(a.most_outputs)};
  return {};
}

std::uint64_t macs_of(const Graph& graph, const Node& node) {
  const Operator* op = find_operator(node.domain, node.op);
  return op == nullptr ? 0 : op->macs(graph, node);
}

}  // namespace byoc::ir
