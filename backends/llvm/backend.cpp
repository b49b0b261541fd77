#include "backends/llvm/backend.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "backends/layers/channels_last.hpp"
#include "backends/layers/laid_out_host.hpp"
#include "backends/llvm/emitter.hpp"
#include "backends/llvm/lower/reals.hpp"
#include "backends/llvm/machine.hpp"
#include "backends/llvm/operators.hpp"
#include "byoc/nodes/verdict.hpp"
#include "byoc/plugin.hpp"

namespace byoc::bitcode {
namespace {

using codegen::kNoValue;
using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Verdict;

// Sums in another order, and an exponential of its own; of floats of 16 bits what the C backend states for them.
double tolerance_of(Real real) {
  switch (real) {
    case Real::f32: return 1e-5;
    case Real::f16: return 1.0 / 256;
    case Real::bf16: return 1.0 / 32;
    default: return 0;
  }
}
// On hosts this backend's code is faster than the C backend's; on bare metal the C backend's is.
constexpr std::int32_t kHosted = 1;
constexpr std::int64_t kMostElements = std::int64_t{1} << 29;  // 2 GiB of floats

// Checks that are common to all lowerings.
std::optional<Verdict> refuse_values(const Region& region, const Node& node, bool several_results) {
  const bool one_result = node.outputs.size() == 1 && node.outputs[0] != kNoValue;
  if (!(one_result || several_results) || node.inputs.empty() || node.inputs[0] == kNoValue)
    return nodes::refuse(Reason::unsupported_attribute, "expected a first input and one output");
  for (const auto* ids : {&node.inputs, &node.outputs})
    for (const codegen::ValueId id : *ids) {
      if (id == kNoValue) continue;
      const codegen::Value& v = region.values[id];
      if (ids == &node.inputs && id != node.inputs[0] && v.is_constant && v.dtype == DType::i64) continue;
      if (!real_of(v.dtype) || v.dtype != region.values[node.inputs[0]].dtype)
        return nodes::refuse_dtype(v.dtype, "f32, f16 or bf16, the same of all operands");
      if (v.elements() == 0 || v.elements() >= kMostElements)
        return nodes::refuse(Reason::unsupported_shape,
                             "found " + std::to_string(v.elements()) + " elements, expected 1 to 2^29 - 1");
    }
  return std::nullopt;
}

Verdict verdict_on(const Region& region, const Node& node, bool hosted) {
  const Lowering* lowering = find_lowering(node.domain, node.op);
  if (lowering == nullptr)
    return nodes::refuse(Reason::unsupported_op, "the llvm backend has no operator " +
                                                     (node.domain.empty() ? "" : node.domain + ".") + node.op);
  if ((lowering->traits & kDoubles) != 0 && !hosted)
    return nodes::refuse(Reason::unsupported_op,
                         "computes " + node.op + " in doubles, expected a target with an operating system");
  const bool integers = (lowering->traits & kIntegers) != 0 && region.values[node.inputs[0]].quantised();
  if (integers || (lowering->traits & kTypes) != 0) return lowering->accepts(region, node);
  const bool several_results = (lowering->traits & kSeveralResults) != 0;
  if (const auto refusal = refuse_values(region, node, several_results)) return *refusal;
  Verdict out = lowering->accepts(region, node);
  if (out.claimed && (lowering->traits & kExactFloats) == 0) {
    out.exactness = codegen::Exactness::relative;
    out.tolerance = tolerance_of(real_of(region.values[node.inputs[0]]));
  }
  return out;
}

constexpr std::string_view kThreads = "threads", kWinograd = "winograd";

class Backend final : public codegen::Codegen {
 public:
  explicit Backend(const BackendOptions& options) : options_(options) {}
  std::string_view id() const override { return "llvm"; }
  std::string_view version() const override { return "1"; }
  codegen::Role role() const override { return codegen::Role::reference; }
  bool built_in() const override { return true; }
  bool accepts_rewrites() const override { return true; }

  std::vector<Verdict> verdicts(const Region& model, const TargetSpec& target) override {
    std::vector<Verdict> out;
    for (const Node& node : model.nodes) {
      out.push_back(verdict_on(model, node, target.hosted));
      out.back().priority = target.hosted ? kHosted : 0;
    }
    return out;
  }

  bool compile(const codegen::Request& request, codegen::Host& host) override {
    if (options_.threads && !request.target.hosted) {
      host.diag(codegen::Severity::error, request.regions.front(), codegen::kNoNode,
                "threads are for targets with an operating system, and '" + request.target.name + "' has none");
      return false;
    }
    const Machine machine = machine_of(request.target);
    Modules modules(machine, host);
    bool ok = true;
    for (const Region& graph : request.regions) {
      // Vectors are of neighbouring channels.
      const auto laid_out = layers::with_channels_last(graph, {.always = true}, operator_traits(),
                                                       [&](const Region& region, const Node& node) {
                                                         return verdict_on(region, node, request.target.hosted).claimed;
                                                       });
      if (laid_out) {
        layers::LaidOutHost between(*laid_out, graph, host);
        for (const auto& [value, into] : laid_out->gone) host.fused(graph, value, into);
        ok = lower(request, machine, laid_out->region, between, modules) && ok;
      } else {
        ok = lower(request, machine, graph, host, modules) && ok;
      }
    }
    modules.finish();
    return ok;
  }

 private:
  bool lower(const codegen::Request& request, const Machine& machine, const Region& region, codegen::Host& host,
             Modules& modules) const {
    Emitter emitter(request, machine, region, host, modules, options_);
    bool ok = true;
    for (codegen::NodeId n = 0; n < region.nodes.size(); ++n) {
      if (emitter.is_done(n)) continue;
      const Node& node = region.nodes[n];
      const Lowering* lowering = find_lowering(node.domain, node.op);
      ok = (lowering != nullptr ? lowering->lower(emitter, node) : emitter.error(node, "was not claimed")) && ok;
    }
    return ok;
  }

  const BackendOptions options_;
};

struct Make {
  std::unique_ptr<codegen::Codegen> operator()(const PluginContext& context) const {
    return std::make_unique<Backend>(BackendOptions{context.options.flag(kThreads), context.options.flag(kWinograd)});
  }
};

PluginDescription description() {
  PluginDescription out;
  out.id = "llvm";
  out.name = "reference LLVM backend";
  out.vendor = "byoc";
  out.version = "1";
  out.license = "Apache-2.0";
  out.role = codegen::Role::reference;
  out.options = {{std::string(kThreads),
                  OptionType::boolean,
                  "false",
                  "steps that take long are shared by threads of the program's, which it hands over by "
                  "<model>_set_devices()",
                  {}},
                 {std::string(kWinograd),
                  OptionType::boolean,
                  "true",
                  "convolutions of 3x3 windows by Winograd's algorithm, where that is faster: within the tolerance of "
                  "all others, but other bits",
                  {}}};
  out.caps |= BYOC_CAP_REWRITES;
  return out;
}

}  // namespace

std::unique_ptr<codegen::Codegen> create(std::span<const reference::Option> options) {
  BackendOptions out;
  for (const reference::Option& o : options) (o.name == kThreads ? out.threads : out.winograd) = o.text == "true";
  return std::make_unique<Backend>(out);
}

const byoc_plugin_t* query(const byoc_query_t* q) { return abi::serve<Make>(q, description); }

}  // namespace byoc::bitcode
