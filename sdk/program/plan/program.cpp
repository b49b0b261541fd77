#include "sdk/program/plan/program.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "sdk/model/ir/control.hpp"
#include "sdk/program/plan/control.hpp"
#include "sdk/program/plan/results.hpp"
#include "sdk/program/plan/schedule.hpp"

namespace byoc::plan {
namespace {

Tensor tensor(const ir::Graph& graph, ir::ValueId v) {
  const ir::Value& value = graph.values[v];
  Tensor out{v, value.name, value.type.dtype, value.type.dims.value_or(std::vector<ir::Dim>{}), value.type.bytes()};
  if (value.type.quantisation) out.quantisation = *value.type.quantisation;
  return out;
}

// The one place where it is said where an operand lies.
class Resolver {
 public:
  Resolver(const ir::Graph& graph, const plugin::Compilation& compilation, const InstanceLayout& layout, Program& out)
      : root_(graph), compilation_(compilation), layout_(layout), out_(out) {}

  Routine routine(const ir::Graph& graph, const Schedule& schedule) {
    const plugin::GraphPart& part = part_of(compilation_, graph, root_);
    const Frame frame{graph, part, schedule};
    Routine out;
    out.symbol = part.symbol;
    for (const ir::ValueId v : graph.inputs) out.inputs.push_back(tensor(graph, v));
    for (const ir::ValueId v : graph.outputs) out.outputs.push_back(tensor(graph, v));
    for (const ir::CountedDim& c : graph.counted) out.outputs[c.output].counted.push_back({c.dim, c.count});
    out.workspaces = schedule.plan.pools;
    for (std::uint32_t s = 0; s < part.steps.size(); ++s) {
      out.calls.push_back(call(frame, s));
      out.uses_instance = out.uses_instance || part.steps[s].decl.uses_instance;
    }
    out.moves = moves(frame);
    return out;
  }

  std::uint32_t constant(const std::string& symbol) {
    const auto next = static_cast<std::uint32_t>(out_.constants.size());
    const auto [at, is_new] = constants_.emplace(symbol, next);
    if (is_new) out_.constants.push_back(symbol);
    return at->second;
  }

 private:
  // A graph of the model with what was made for it.
  struct Frame {
    const ir::Graph& graph;
    const plugin::GraphPart& part;
    const Schedule& schedule;
  };

  Operand at(const Frame& frame, const Location& location, std::uint64_t bytes) {
    Operand out{location.place, location.index, location.offset, bytes};
    if (location.place == Place::constant) out.index = constant(frame.part.output_constants.at(location.index));
    return out;
  }

  Operand operand(const Frame& frame, const plugin::StepOperand& o) {
    if (o.value == ir::kNoValue)
      return at(frame, frame.schedule.private_values[o.private_value],
                compilation_.private_values[o.private_value].bytes);
    const ir::TensorType& type = frame.graph.values[o.value].type;
    Operand out = at(frame, frame.schedule.values[frame.schedule.storage[o.value]], type.bytes());
    out.dtype = type.dtype;
    out.value = o.value;
    return out;
  }

  Call call(const Frame& frame, std::uint32_t s) {
    const plugin::Step& step = frame.part.steps[s];
    Call out;
    out.step = describe(frame.graph, step, compilation_);
    for (const plugin::StepOperand& o : step.inputs) out.inputs.push_back(operand(frame, o));
    for (const plugin::StepOperand& o : step.outputs) out.outputs.push_back(operand(frame, o));
    for (std::size_t w = 0; w < frame.schedule.workspaces[s].size(); ++w)
      out.workspaces.push_back(at(frame, frame.schedule.workspaces[s][w], frame.schedule.workspace_bytes[s][w]));
    out.uses_instance = step.decl.uses_instance;
    if (step.control == ir::kNoNode)
      out.instance_offset = instance_offset(step.codegen);
    else
      out.control = control(frame.graph, step, frame.schedule.control.at(s));
    return out;
  }

  std::uint64_t instance_offset(const std::string& codegen) const {
    const auto& all = compilation_.instances;
    const auto own = std::find_if(all.begin(), all.end(), [&](const auto& i) { return i.codegen == codegen; });
    return own == all.end() ? 0 : layout_.codegens[static_cast<std::size_t>(own - all.begin())];
  }

  std::vector<Move> moves(const Frame& frame) {
    std::vector<Move> out;
    for (const OutputCopy& c : frame.schedule.copies) {
      const std::uint64_t bytes = frame.graph.values[frame.graph.outputs[c.output]].type.bytes();
      out.push_back({{Place::output, c.output, 0, bytes}, at(frame, frame.schedule.values[c.source], bytes)});
    }
    for (const Commit& c : frame.schedule.commits)
      out.push_back({at(frame, c.to, c.bytes), at(frame, c.from, c.bytes)});
    return out;
  }

  std::uint32_t body(const ir::Node& node, const char* name, const Schedule& schedule) {
    // Bodies inside this one come first.
    Routine made = routine(*ir::body_of(node, name), schedule);
    out_.bodies.push_back(std::move(made));
    return static_cast<std::uint32_t>(out_.bodies.size() - 1);
  }

  Control control(const ir::Graph& graph, const plugin::Step& step, const ControlPlan& plan) {
    const ir::Node& node = graph.nodes[step.control];
    Control out;
    out.node = node.describe();
    if (node.op == "If") {
      out.bodies = {body(node, "then_branch", plan.bodies[0]), body(node, "else_branch", plan.bodies[1])};
      out.condition = 0;
      for (std::uint32_t i = 1; i < step.inputs.size(); ++i) out.captured.push_back(i);
      return out;
    }
    out.bodies = {body(node, "body", plan.bodies[0])};
    add_rounds(graph, node, plan, out);
    return out;
  }

  // The index among the call's inputs of an input of the node: omitted optional inputs are not counted.
  static std::uint32_t given(const ir::Node& node, std::size_t input) {
    return static_cast<std::uint32_t>(std::count_if(node.inputs.begin(),
                                                    node.inputs.begin() + static_cast<std::ptrdiff_t>(input),
                                                    [](ir::ValueId v) { return v != ir::kNoValue; }));
  }

  static void add_rounds(const ir::Graph& graph, const ir::Node& node, const ControlPlan& plan, Control& out) {
    const ir::LoopForm form = ir::loop_form(node);
    const auto type = [&](ir::ValueId v) -> const ir::TensorType& { return form.body->values[v].type; };
    const auto length = [&](ir::ValueId v) { return static_cast<std::uint64_t>((*graph.values[v].type.dims)[0]); };
    const auto sliced = [&](std::size_t k, std::uint32_t operand, ir::ValueId slice, const char* directions) {
      const std::vector<std::int64_t> backwards = node.integers(directions, {});
      const auto elements = static_cast<std::uint64_t>(type(slice).elements());
      return Sliced{operand, elements, k < backwards.size() && backwards[k] != 0};
    };
    out.kind = form.is_scan ? ControlKind::scan : ControlKind::loop;
    if (form.is_scan) {
      out.rounds = length(node.inputs[form.carried]);
    } else {
      if (node.inputs[0] != ir::kNoValue) out.trip_count = given(node, 0);
      if (node.inputs[1] != ir::kNoValue) out.condition = given(node, 1);
      if (form.stacked != 0) out.rounds = length(node.outputs[form.carried]);
    }
    for (std::size_t k = 0; k < form.carried; ++k) {
      const ir::TensorType& t = type(form.body->inputs[form.first_input + k]);
      out.carried.push_back({given(node, form.first_input + k), static_cast<std::uint32_t>(k), t.bytes(), t.dtype,
                             plan.bodies[0].carried[k].in_place, plan.second[k]});
    }
    for (std::size_t k = 0; k < form.scanned; ++k)
      out.scanned.push_back(
          sliced(k, given(node, form.carried + k), form.body->inputs[form.carried + k], "scan_input_directions"));
    for (std::size_t k = 0; k < form.captures; ++k) out.captured.push_back(given(node, form.first_capture() + k));
    for (std::size_t k = 0; k < form.stacked; ++k)
      out.stacked.push_back(sliced(k, static_cast<std::uint32_t>(form.carried + k),
                                   form.body->outputs[form.first_output + form.carried + k], "scan_output_directions"));
  }

  const ir::Graph& root_;
  const plugin::Compilation& compilation_;
  const InstanceLayout& layout_;
  Program& out_;
  std::map<std::string, std::uint32_t> constants_;
};

Instance instance(const ir::Graph& graph, const plugin::Compilation& compilation, const InstanceLayout& layout,
                  Resolver& resolver) {
  Instance out;
  out.bytes = layout.bytes;
  out.align = layout.align;
  for (std::size_t i = 0; i < compilation.instances.size(); ++i) {
    const codegen::Instance& decl = compilation.instances[i].decl;
    out.parts.push_back({layout.codegens[i], decl.init, decl.reset, decl.deinit, decl.device});
  }
  for (std::size_t i = 0; i < graph.states.size(); ++i) {
    InitialState state{layout.states[i], graph.values[graph.states[i].value].type.bytes(), {}, 0};
    if (state.bytes == 0) continue;
    const auto initial = compilation.state_constants.find(i);
    if (initial != compilation.state_constants.end())
      state.constant = resolver.constant(initial->second);
    else
      state.fill = std::to_integer<std::uint8_t>(ir::initial_bytes(graph, graph.states[i])[0]);
    out.states.push_back(state);
  }
  return out;
}

// For every node, the first output of the graph that shares values with it, directly or through others.
std::vector<std::uint32_t> parts_of(const ir::Graph& graph) {
  std::vector<ir::ValueId> root(graph.values.size());
  std::iota(root.begin(), root.end(), 0u);
  const auto find = [&](ir::ValueId v) {
    while (root[v] != v) v = root[v] = root[root[v]];
    return v;
  };
  const auto first_of = [&](const ir::Node& node) {
    for (const auto* list : {&node.outputs, &node.inputs})
      for (const ir::ValueId v : *list)
        if (v != ir::kNoValue && !graph.is_constant(v)) return v;
    return ir::kNoValue;
  };
  for (const ir::Node& node : graph.nodes)
    for (const auto* list : {&node.inputs, &node.outputs})
      for (const ir::ValueId v : *list)
        if (v != ir::kNoValue && !graph.is_constant(v)) root[find(v)] = find(first_of(node));
  std::map<ir::ValueId, std::uint32_t> outputs;
  for (std::uint32_t o = 0; o < graph.outputs.size(); ++o) outputs.try_emplace(find(graph.outputs[o]), o);
  std::vector<std::uint32_t> out;
  for (const ir::Node& node : graph.nodes) {
    const ir::ValueId first = first_of(node);
    const auto at = first == ir::kNoValue ? outputs.end() : outputs.find(find(first));
    out.push_back(at == outputs.end() ? 0 : at->second);
  }
  return out;
}

void note_parts(const ir::Graph& graph, const plugin::Compilation& compilation, Routine& main) {
  const std::vector<std::uint32_t> parts = parts_of(graph);
  for (std::size_t c = 0; c < main.calls.size(); ++c) {
    const plugin::Step& step = compilation.steps[c];
    const ir::NodeId node = step.control != ir::kNoNode ? step.control
                            : step.nodes.empty()        ? ir::kNoNode
                                                        : step.nodes[0];
    if (node != ir::kNoNode) main.calls[c].part = parts[node];
  }
}

}  // namespace

Result<Program> make_program(const ir::Graph& graph, const plugin::Compilation& compilation, const TargetSpec& target,
                             Diagnostics& diags, bool reuse_inputs) {
  auto schedule = make_schedule(graph, compilation, target, diags, reuse_inputs);
  if (!schedule) return failure;
  Program out;
  out.name = graph.name;
  out.bounded = graph.bounded;
  out.file = graph.file;
  out.pools = ram_pools(target);
  const InstanceLayout layout = instance_layout(graph, compilation.instances);
  Resolver resolver(graph, compilation, layout, out);
  out.main = resolver.routine(graph, *schedule);
  note_parts(graph, compilation, out.main);
  for (std::size_t i = 0; i < out.main.inputs.size(); ++i) out.main.inputs[i].overwritten = schedule->overwritten[i];
  add_results(graph, compilation, *schedule, out.main);
  out.instance = instance(graph, compilation, layout, resolver);
  out.instance.pool = schedule->instance_pool;
  for (const ConstantArtifact& c : compilation.constants)
    if (c.model_data) out.weight_bytes += c.bytes.size();
  out.memory = std::move(schedule->problem);
  out.offsets = std::move(schedule->plan.offsets);
  return out;
}

}  // namespace byoc::plan
