#include "backends/c/backend.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>

#include "backends/c/costs/cost_table.hpp"
#include "backends/c/effort.hpp"
#include "backends/c/emitter.hpp"
#include "backends/c/kernels.hpp"
#include "backends/c/lower/move/by_parameters.hpp"
#include "backends/c/lower/step/view.hpp"
#include "backends/c/operators.hpp"
#include "backends/c/patches/patch.hpp"
#include "backends/layers/channels_last.hpp"
#include "backends/layers/kernel_choice.hpp"
#include "backends/layers/laid_out_host.hpp"
#include "backends/layers/stripes/choice.hpp"

namespace byoc::c {
namespace {

// A node that computes nothing: all its results are empty. What a run may find to be wrong is still looked at.
bool is_empty(const codegen::Region& region, const codegen::Node& node) {
  if ((node.op == "Slice" || node.op == "Pad") && has_computed_parameters(region, node)) return false;
  for (const codegen::ValueId v : node.outputs)
    if (v != codegen::kNoValue && region.values[v].elements() != 0) return false;
  return true;
}

// A step that makes these results all the same.
void lower_empty(Emitter& emitter, const codegen::Node& node) {
  codegen::Step step;
  StepText text;
  step.nodes = {static_cast<codegen::NodeId>(&node - emitter.region.nodes.data())};
  for (const codegen::ValueId v : node.outputs) {
    if (v == codegen::kNoValue) continue;
    text.body += "  (void)out" + std::to_string(step.outputs.size()) + ";\n";
    step.outputs.push_back({v});
  }
  emitter.step(node, std::move(step), text);
}

// The relative deviation allowed for floats: sums have another order, elementary functions come from another library.
double tolerance_of(DType dtype) {
  switch (dtype) {
    case DType::f64: return 1e-12;
    case DType::f32: return 1e-5;
    case DType::f16: return 1.0 / 256;
    case DType::bf16: return 1.0 / 32;
    default: return 0;
  }
}

void state_exactness(const codegen::Region& region, const codegen::Node& node, codegen::Verdict& verdict) {
  if (!verdict.claimed || has_trait(node, kExactFloats)) return;
  for (const codegen::ValueId v : node.outputs)
    if (v != codegen::kNoValue) verdict.tolerance = std::max(verdict.tolerance, tolerance_of(region.values[v].dtype));
  if (verdict.tolerance > 0) verdict.exactness = codegen::Exactness::relative;
}

// The reason why a node with dims that only a run knows cannot be compiled; nullopt if there is none.
std::optional<codegen::Verdict> refuse_open(const codegen::Region& region, const codegen::Node& node) {
  if (!has_trait(node, kOpenDims))
    return refuse(codegen::Reason::unsupported_shape, "found dims that only a run knows, expected known ones");
  for (const auto* list : {&node.inputs, &node.outputs})
    for (const codegen::ValueId v : *list) {
      if (v == codegen::kNoValue) continue;
      if (region.values[v].quantised())
        return refuse(codegen::Reason::unsupported_quantisation, "found quantised values whose dims only a run knows");
      if (region.values[v].dims.size() > kLoopRank)
        return refuse(codegen::Reason::unsupported_shape,
                      "found dims that only a run knows, expected at most " + std::to_string(kLoopRank));
    }
  return std::nullopt;
}

bool lower_node(Emitter& emitter, const codegen::Node& node) {
  if (emitter.region.symbols.empty() && is_empty(emitter.region, node)) {
    lower_empty(emitter, node);
    return true;
  }
  const Lowering* lowering = find_lowering(node.domain, node.op);
  return lowering ? lowering->lower(emitter, node) : emitter.error(node, "was not claimed");
}

// The parts that are computed in stripes if the plan did not fit.
std::vector<Patch> patches(const codegen::Request& request, const codegen::Region& region, const ChosenKernels& chosen,
                           PartLowering& parts) {
  Recorder recorder;
  Emitter emitter(request, recorder, region, chosen);
  for (const codegen::Node& node : region.nodes)
    if (!lower_node(emitter, node)) return {};
  return choose_patches(region, recorder, operator_traits(), workspaces_of(parts), request.memory_budget);
}

// The nodes that the patches compute.
class PatchedNodes {
 public:
  explicit PatchedNodes(std::vector<Patch> patches) : patches_(std::move(patches)) {
    for (const Patch& p : patches_)
      for (const Unit& u : p.units)
        for (const codegen::NodeId n : u.nodes) of_[n] = &p;
  }
  [[nodiscard]] const Patch* of(codegen::NodeId n) const {
    const auto at = of_.find(n);
    return at == of_.end() ? nullptr : at->second;
  }
  // True if the patch has no later node.
  static bool ends(const Patch& patch, codegen::NodeId n) {
    codegen::NodeId last = 0;
    for (const Unit& u : patch.units) last = std::max(last, u.nodes.back());
    return n == last;
  }

 private:
  std::vector<Patch> patches_;
  std::map<codegen::NodeId, const Patch*> of_;
};

// Functions that compilers call on cores without a multiplication of 32 by 32 bits to 64.
void write_arithmetic(const TargetSpec& target, codegen::Host& host) {
  if (!target.triple.starts_with("thumbv6m") && !target.triple.starts_with("thumbv8m.base")) return;
  codegen::SourceDecl decl;
  decl.name = decl.symbol = "byoc_arm_arithmetic";
  decl.shared = true;
  const std::string start = kLicenceLine + ("#define BYOC_SYMBOL " + decl.symbol + "\n");
  host.source(decl, start + std::string(kernel_file("arm_arithmetic.c")));
}

class Backend final : public codegen::Codegen {
 public:
  explicit Backend(BackendOptions options) : options_(std::move(options)) {}

  std::string_view id() const override { return "c"; }
  std::string_view version() const override { return "1"; }
  codegen::Role role() const override { return codegen::Role::reference; }
  bool built_in() const override { return true; }

  std::vector<codegen::Verdict> verdicts(const codegen::Region& model, const TargetSpec& target) override {
    std::vector<codegen::Verdict> out;
    for (const codegen::Node& node : model.nodes) {
      const Lowering* lowering = find_lowering(node.domain, node.op);
      if (lowering == nullptr) {
        out.push_back(
            refuse(codegen::Reason::unsupported_op,
                   "the c backend has no operator " + (node.domain.empty() ? "" : node.domain + ".") + node.op));
        continue;
      }
      if (!model.symbols.empty()) {
        const auto refused = refuse_open(model, node);
        out.push_back(refused ? *refused : lowering->accepts(model, node, target));
        state_exactness(model, node, out.back());
        continue;
      }
      out.push_back(lowering->accepts(model, node, target));
      // No shape is in the way of computing nothing.
      if (out.back().reason == codegen::Reason::unsupported_shape && is_empty(model, node)) out.back() = claim();
      state_exactness(model, node, out.back());
      if (out.back().claimed) out.back().cost = estimate(model, node, *lowering, target);
    }
    return out;
  }

  // When it is asked again, it trades a little time for memory: it copies operands out of their place, so that results
  // may be written over them, and takes smaller workspaces.
  bool saves_memory() const override { return true; }
  bool moves_constants() const override { return true; }
  bool accepts_rewrites() const override { return true; }
  bool takes_open_dims() const override { return true; }

  bool compile(const codegen::Request& request, codegen::Host& to) override {
    EffortHost host(to);
    bool ok = true;
    std::vector<std::optional<LaidOutRegion>> laid_out;
    std::vector<const codegen::Region*> regions;
    for (const codegen::Region& graph : request.regions) laid_out.push_back(lay_out(graph, request));
    for (std::size_t r = 0; r < laid_out.size(); ++r)
      regions.push_back(laid_out[r] ? &laid_out[r]->region : &request.regions[r]);
    const std::vector<ChosenKernels> chosen = choose_kernels(request, regions);
    StepsSource source;
    for (std::size_t r = 0; r < regions.size(); ++r) {
      if (!laid_out[r]) {
        Emitter emitter(request, host, *regions[r], chosen[r]);
        ok = lower_region(request, emitter, chosen[r], source) && ok;
        continue;
      }
      LaidOutHost between(*laid_out[r], request.regions[r], host);
      Emitter emitter(request, between, *regions[r], chosen[r]);
      emitter.set_own_storage(laid_out[r]->is_own);
      for (const auto& [value, into] : laid_out[r]->gone) host.fused(request.regions[r], value, into);
      ok = lower_region(request, emitter, chosen[r], source) && ok;
    }
    source.write(host, request.internal_header);
    if (options_.arithmetic) write_arithmetic(request.target, host);
    host.finish();
    return ok;
  }

 private:
  // Cycles of the best kernel, instructions where those are not estimated; 0: not known on this target.
  static double estimate(const codegen::Region& model, const codegen::Node& node, const Lowering& lowering,
                         const TargetSpec& target) {
    if (lowering.options == nullptr || !is_measured(target) || is_empty(model, node)) return 0;
    double least = 0;
    for (KernelOption& o : lowering.options({model, target}, node)) {
      add_costs(o, target, Objective::balanced);
      if (o.time() > 0 && (least == 0 || o.time() < least)) least = o.time();
    }
    return least;
  }

  [[nodiscard]] std::optional<LaidOutRegion> lay_out(const codegen::Region& region,
                                                     const codegen::Request& request) const {
    // On hosts there is little to gain, and packing the weights of large models takes longer.
    if (!region.symbols.empty() || options_.layout == Layout::graph ||
        (options_.layout == Layout::best && request.target.hosted))
      return std::nullopt;
    return with_channels_last(region, {options_.layout == Layout::channels_last, request.attempt > 0},
                              operator_traits(), [&](const codegen::Region& changed, const codegen::Node& node) {
                                const Lowering* lowering = find_lowering(node.domain, node.op);
                                return lowering != nullptr && lowering->accepts(changed, node, request.target).claimed;
                              });
  }

  static bool lower_region(const codegen::Request& request, Emitter& emitter, const ChosenKernels& chosen,
                           StepsSource& source) {
    const codegen::Region& region = emitter.region;
    std::optional<PartLowering> parts;
    if (request.attempt != 0 && request.memory_budget != 0 && region.symbols.empty())
      parts.emplace(request, region, chosen);
    const PatchedNodes patched(parts ? patches(request, region, chosen, *parts) : std::vector<Patch>());
    bool ok = true;
    for (codegen::NodeId n = 0; n < region.nodes.size(); ++n) {
      if (const Patch* patch = patched.of(n))
        ok = (!PatchedNodes::ends(*patch, n) || lower_patch(emitter, *parts, *patch)) && ok;
      else
        ok = lower_node(emitter, region.nodes[n]) && ok;
    }
    emitter.finish(source);
    return ok;
  }

  // The kernels of all regions are chosen together, for they share their code. One for each region.
  [[nodiscard]] std::vector<ChosenKernels> choose_kernels(const codegen::Request& request,
                                                          const std::vector<const codegen::Region*>& regions) const {
    std::vector<ChosenKernels> out(regions.size());
    std::vector<LayerOptions> layers;
    std::vector<ChosenKernel*> chosen;
    for (std::size_t r = 0; r < regions.size(); ++r) {
      const codegen::Region& region = *regions[r];
      if (!region.symbols.empty()) continue;
      const LayerQuestion question{region, request.target, request.objective, request.attempt};
      for (codegen::NodeId id = 0; id < region.nodes.size(); ++id) {
        const codegen::Node& node = region.nodes[id];
        const Lowering* lowering = find_lowering(node.domain, node.op);
        if (!lowering || !lowering->options || is_empty(region, node)) continue;
        std::vector<KernelOption> options = wanted(lowering->options(question, node));
        if (options.empty()) continue;
        for (KernelOption& o : options) add_costs(o, request.target, request.objective);
        // A kernel of unknown cost is only chosen if there is no other.
        const auto is_known = [](const KernelOption& o) { return o.instructions > 0; };
        if (std::any_of(options.begin(), options.end(), is_known)) std::erase_if(options, std::not_fn(is_known));
        layers.push_back({std::move(options),
                          std::max(region.values[node.inputs[0]].bytes(), region.values[node.outputs[0]].bytes())});
        chosen.push_back(&out[r][id]);
      }
    }
    const std::vector<std::size_t> choice = layers::choose_kernels(layers, request.objective, request.memory_budget);
    for (std::size_t i = 0; i < choice.size(); ++i)
      *chosen[i] = {layers[i].options[choice[i]], remark_on(layers[i], choice[i])};
    return out;
  }

  // The options with the user's kernels, if there are any.
  [[nodiscard]] std::vector<KernelOption> wanted(std::vector<KernelOption> options) const {
    const auto is_wanted = [&](const KernelOption& o) {
      return std::find(options_.kernels.begin(), options_.kernels.end(), o.kernel) != options_.kernels.end();
    };
    if (std::any_of(options.begin(), options.end(), is_wanted)) std::erase_if(options, std::not_fn(is_wanted));
    return options;
  }

  BackendOptions options_;
};

}  // namespace

std::unique_ptr<codegen::Codegen> create_backend(BackendOptions options) {
  return std::make_unique<Backend>(std::move(options));
}

}  // namespace byoc::c
