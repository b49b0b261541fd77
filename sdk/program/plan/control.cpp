#include "sdk/program/plan/control.hpp"

#include <algorithm>

#include "sdk/model/ir/control.hpp"

namespace byoc::plan {
namespace {

std::uint64_t round_up(std::uint64_t n, std::uint64_t align) { return (n + align - 1) / align * align; }

bool needs_instance(const std::vector<plugin::Step>& steps) {
  return std::any_of(steps.begin(), steps.end(), [](const plugin::Step& s) { return s.decl.uses_instance; });
}

class ControlSteps {
 public:
  ControlSteps(const std::string& prefix, const NodeOrder& order, NameTable& names, const std::string& executor,
               plugin::Compilation& compilation)
      : prefix_(prefix), order_(order), names_(names), executor_(executor), compilation_(compilation) {}

  void run(const ir::Graph& graph, plugin::GraphPart& part) {
    for (ir::NodeId n = 0; n < graph.nodes.size(); ++n)
      if (ir::is_control(graph.nodes[n])) part.steps.push_back(make_step(graph, n));
  }

 private:
  plugin::Step make_step(const ir::Graph& graph, ir::NodeId n) {
    const ir::Node& node = graph.nodes[n];
    plugin::Step step;
    step.decl.symbol = names_.claim(prefix_ + "_" + node.op + "_" + std::to_string(n));
    step.decl.kernel = node.op;
    step.codegen = executor_;
    step.order = order_(graph, n);
    step.control = n;
    step.nodes = {n};
    for (ir::ValueId v : node.inputs)
      if (v != ir::kNoValue) step.inputs.push_back({v, 0});
    for (ir::ValueId v : node.outputs) step.outputs.push_back({v, 0});
    for (const auto& body : ir::bodies(node)) {
      plugin::GraphPart& inner = compilation_.bodies[body.get()];
      inner.symbol = names_.claim(step.decl.symbol + "_body");
      run(*body, inner);
      step.decl.uses_instance = step.decl.uses_instance || needs_instance(inner.steps);
      std::uint64_t macs = 0;
      for (const plugin::Step& s : inner.steps) {
        macs += s.decl.macs;
        step.constants.insert(step.constants.end(), s.constants.begin(), s.constants.end());
      }
      step.decl.macs = node.op == "If" ? std::max(step.decl.macs, macs) : macs * rounds(graph, node);
    }
    return step;
  }

  // The rounds of a Scan; a Loop counts as one round.
  static std::uint64_t rounds(const ir::Graph& graph, const ir::Node& node) {
    if (node.op != "Scan") return 1;
    const ir::LoopForm form = ir::loop_form(node);
    return static_cast<std::uint64_t>((*graph.values[node.inputs[form.carried]].type.dims)[0]);
  }

  const std::string& prefix_;
  const NodeOrder& order_;
  NameTable& names_;
  const std::string& executor_;
  plugin::Compilation& compilation_;
};

Result<ControlPlan> plan_loop(const ir::Node& node, const plugin::Compilation& compilation, const TargetSpec& target,
                              Diagnostics& diags) {
  const ir::LoopForm form = ir::loop_form(node);
  std::vector<Carried> carried;
  for (std::size_t k = 0; k < form.carried; ++k)
    carried.push_back({form.body->inputs[form.first_input + k], form.body->outputs[form.first_output + k]});
  auto body = make_body_schedule(*form.body, compilation, target, std::move(carried), diags);
  if (!body) return failure;
  ControlPlan out;
  out.pools = body->plan.pools;
  PoolUse& use = out.pools[0];
  use.align = std::max(use.align, kValueAlign);
  for (const Carried& c : body->carried) {
    out.second.push_back(0);
    if (c.in_place) continue;
    out.second.back() = round_up(use.bytes, kValueAlign);
    use.bytes = out.second.back() + form.body->values[c.value].type.bytes();
  }
  out.bodies.push_back(std::move(*body));
  return out;
}

}  // namespace

void add_control_steps(const ir::Graph& graph, const std::string& prefix, const NodeOrder& order, NameTable& names,
                       const std::string& executor, plugin::Compilation& compilation) {
  ControlSteps(prefix, order, names, executor, compilation).run(graph, compilation);
}

const plugin::GraphPart& part_of(const plugin::Compilation& compilation, const ir::Graph& graph,
                                 const ir::Graph& root) {
  static const plugin::GraphPart kNothing;
  if (&graph == &root) return compilation;
  const auto it = compilation.bodies.find(&graph);
  return it == compilation.bodies.end() ? kNothing : it->second;
}

Result<ControlPlan> plan_control(const ir::Node& node, const plugin::Compilation& compilation, const TargetSpec& target,
                                 Diagnostics& diags) {
  if (node.op != "If") return plan_loop(node, compilation, target, diags);
  ControlPlan out;
  for (const char* name : {"then_branch", "else_branch"}) {
    auto body = make_body_schedule(*ir::body_of(node, name), compilation, target, {}, diags);
    if (!body) return failure;
    out.pools.resize(body->plan.pools.size());
    for (std::size_t p = 0; p < out.pools.size(); ++p) {
      out.pools[p].bytes = std::max(out.pools[p].bytes, body->plan.pools[p].bytes);
      out.pools[p].align = std::max(out.pools[p].align, body->plan.pools[p].align);
    }
    out.pools[0].align = std::max(out.pools[0].align, kValueAlign);
    out.bodies.push_back(std::move(*body));
  }
  return out;
}

}  // namespace byoc::plan
