#include "sdk/export/generate.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "sdk/program/plan/control.hpp"
#include "sdk/program/plan/read_constants.hpp"

namespace byoc {
namespace {

// Records what the rewrites removed, for reports and tensor dumps.
void add_moved(const optimise::Moved& moved, plugin::GraphPart& part) {
  part.fused.insert(moved.fused.begin(), moved.fused.end());
  part.aliases.insert(moved.aliases.begin(), moved.aliases.end());
  std::multimap<ir::NodeId, std::size_t> steps_of;
  for (std::size_t s = 0; s < part.steps.size(); ++s)
    for (const ir::NodeId n : std::set(part.steps[s].nodes.begin(), part.steps[s].nodes.end())) steps_of.emplace(n, s);
  for (const auto& [node, into] : moved.absorbed)
    for (auto [at, end] = steps_of.equal_range(into); at != end; ++at) part.steps[at->second].nodes.push_back(node);
}

// Each open node that this codegen compiles is a region.
void add_open_regions(const plan::OpenNodes& open, std::size_t codegen, std::vector<plugin::BoundRegion>& out) {
  plugin::RegionMaker regions(open.graph);
  for (ir::NodeId n = 0; n < open.graph.nodes.size(); ++n)
    if (open.codegens[n] == codegen) {
      out.push_back(regions.make({&n, 1}, open.graph.name + "_open" + std::to_string(n)));
      out.back().order = n;
    }
}

// Names that the model's header declares or defines: no step has one of them.
void claim_public_names(const ir::Graph& graph, const std::string& prefix, bool resumable, NameTable& names) {
  for (const char* reserved :
       {"_run",          "_init",        "_reset",      "_deinit",     "_inputs",     "_outputs",
        "_inputs_t",     "_outputs_t",   "_instance",   "_instance_t", "_step_table", "_devices",
        "_devices_t",    "_set_devices", "_bind",       "_bind_slots", "_level",      "_choose_level",
        "_weights_base", "_set_hooks",   "_step_names", "_error_text", "_checked_run"})
    names.claim(prefix + reserved);
  if (resumable)
    for (const char* reserved : {"_begin", "_step", "_progress", "_progress_t"}) names.claim(prefix + reserved);
  for (std::size_t i = 0; i < std::max(graph.inputs.size(), graph.outputs.size()); ++i)
    for (const char* function : {"_", "_quantise_", "_dequantise_"})
      for (const char* role : {"input_", "output_"}) names.claim(prefix + function + role + std::to_string(i));
}

}  // namespace

Result<plugin::Compilation> generate(const GenerateRequest& request, std::uint64_t budget, std::uint32_t attempt,
                                     Diagnostics& diags) {
  const ir::Graph& graph = *request.model.graph;
  const Partition& placed = request.model.partition;
  const std::string& prefix = request.names.prefix;
  NameTable names;
  claim_public_names(graph, prefix, request.resumable, names);
  plugin::Compilation out;
  const plugin::CompileRequest compile{
      graph,  request.target, request.objective,     prefix, request.names.internal_header,
      budget, attempt,        request.constants_move};
  for (std::size_t c = 0; c < request.codegens.size(); ++c) {
    std::vector<plugin::BoundRegion> own;
    for (const PlacedRegion& r : placed.regions)
      if (r.codegen == c) own.push_back(r.bound);
    if (request.open != nullptr) add_open_regions(*request.open, c, own);
    if (own.empty()) continue;
    if (!plugin::compile_regions(*request.codegens[c], own, compile, names, out, diags)) return failure;
  }
  for (const auto& [of, moved] : request.model.moved) add_moved(moved, of == &graph ? out : out.bodies[of]);
  const auto order = [&](const ir::Graph& g, ir::NodeId n) {
    return (&g == &graph ? placed.nodes : placed.bodies.at(&g))[n].order;
  };
  plan::add_control_steps(graph, prefix, order, names, request.executor, out);
  plugin::order_steps(out);
  const std::size_t of_codegens = out.constants.size();
  plan::add_read_constants(graph, prefix, names, request.executor, out);
  for (std::size_t i = of_codegens; i < out.constants.size(); ++i) out.constants[i].moves = request.constants_move;
  return out;
}

std::set<std::string> built_in_codegens(std::span<codegen::Codegen* const> codegens) {
  std::set<std::string> out;
  for (const codegen::Codegen* c : codegens)
    if (c->built_in()) out.emplace(c->id());
  return out;
}

std::uint64_t constant_bytes(const plugin::Compilation& compilation) {
  std::uint64_t bytes = 0;
  for (const ConstantArtifact& c : compilation.constants) bytes += c.bytes.size();
  return bytes;
}

}  // namespace byoc
