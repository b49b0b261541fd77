#include "sdk/executor/root.hpp"

#include <algorithm>

#include "byoc/c_text.hpp"
#include "sdk/executor/control_text.hpp"
#include "sdk/ir/control.hpp"
#include "sdk/plan/control.hpp"
#include "sdk/plan/instance.hpp"
#include "sdk/plan/ram_pools.hpp"

namespace byoc::executor {
namespace {

std::string number(std::uint64_t n) { return std::to_string(n); }

std::string operand_type(const ir::Graph& graph, const plugin::StepOperand& o) {
  return o.value == ir::kNoValue ? "void" : std::string(c_type(graph.values[o.value].type.dtype));
}

// The fixed order: instance, inputs, outputs, workspaces.
std::string prototype(const ir::Graph& graph, const plugin::Step& step) {
  std::string parameters = step.decl.uses_instance ? "void *instance" : "";
  auto add = [&](const std::string& p) { parameters += (parameters.empty() ? "" : ", ") + p; };
  for (std::size_t i = 0; i < step.inputs.size(); ++i)
    add("const " + operand_type(graph, step.inputs[i]) + " *in" + number(i));
  for (std::size_t i = 0; i < step.outputs.size(); ++i) add(operand_type(graph, step.outputs[i]) + " *out" + number(i));
  for (std::size_t i = 0; i < step.decl.workspaces.size(); ++i) add("void *ws" + number(i));
  return "int32_t " + step.decl.symbol + "(" + (parameters.empty() ? "void" : parameters) + ")";
}

class RootWriter {
 public:
  RootWriter(const AotRequest& request, const ModelInterface& model)
      : request_(request),
        model_(model),
        layout_(plan::instance_layout(request.graph, request.compilation.instances)),
        pools_(plan::ram_pools(request.target)) {}

  RootText run() {
    RootText out;
    const Frame root{request_.graph, request_.compilation, request_.schedule, true};
    out.functions = functions(root);
    for (std::size_t s = 0; s < root.part.steps.size(); ++s)
      out.calls += call(root, s) + "  TRACE(" + number(s) + ");\n";
    out.copies = copies(root);
    out.lifecycle = lifecycle();
    for (std::size_t p = 0; p < pools_.size(); ++p)
      if (p == 0 || root.schedule.uses(p)) {
        out.bases += base(p);
        out.bases_unused += "  (void)" + start(p) + ";\n";
      }
    return out;
  }

 private:
  // A graph, and how its inputs and outputs are called in the function that runs it: inputs->x in the root, in0 in a
  // body.
  struct Frame {
    const ir::Graph& graph;
    const plugin::GraphPart& part;
    const plan::Schedule& schedule;
    bool is_root;
  };

  // Bodies stand before what calls them.
  std::string functions(const Frame& frame) const {
    std::string out;
    for (std::uint32_t s = 0; s < frame.part.steps.size(); ++s) {
      const plugin::Step& step = frame.part.steps[s];
      if (step.control == ir::kNoNode) continue;
      const ir::Node& node = frame.graph.nodes[step.control];
      const plan::ControlPlan& plan = frame.schedule.control.at(s);
      std::vector<const char*> names = {"body"};
      if (node.op == "If") names = {"then_branch", "else_branch"};
      for (std::size_t b = 0; b < names.size(); ++b) {
        const ir::Graph& body = *ir::body_of(node, names[b]);
        const Frame inner{body, plan::part_of(request_.compilation, body, request_.graph), plan.bodies[b], false};
        out +=
            functions(inner) + "\n/* " + names[b] + " of " + c_comment(node.describe()) + " */" + body_function(inner);
      }
      out += control_function(request_, frame.graph, step, plan);
    }
    return out;
  }

  std::string body_function(const Frame& frame) const {
    const bool stateful = std::any_of(frame.part.steps.begin(), frame.part.steps.end(),
                                      [](const plugin::Step& s) { return s.decl.uses_instance; });
    std::string text;
    for (std::size_t s = 0; s < frame.part.steps.size(); ++s) text += call(frame, s);
    text += copies(frame);
    std::string bases;
    for (std::size_t p = 0; p < pools_.size(); ++p)
      if (text.find("(" + start(p) + " + ") != std::string::npos ||
          text.find(" " + start(p) + " + ") != std::string::npos)
        bases += base(p);
    const std::string calls = frame.part.steps.empty() ? "" : "  int32_t status = 0;\n";
    const std::vector<std::string> workspaces = workspace_parameters(request_.target, frame.schedule.plan.pools);
    return "\nstatic int32_t " + frame.part.symbol + "(" +
           function_parameters(request_, frame.graph, frame.graph.inputs, frame.graph.outputs, stateful, workspaces) +
           ") {\n" + bases + calls +
           ignore_unused(text + bases, frame.graph.inputs.size(), frame.graph.outputs.size(), stateful, workspaces) +
           text + "  return 0;\n}\n";
  }

  // The start of the workspace in a pool, and its declaration.
  std::string start(std::size_t pool) const { return pool == 0 ? "ws" : "ws_" + pools_[pool].field; }
  std::string base(std::size_t pool) const {
    return "  uint8_t *const " + start(pool) + " = (uint8_t *)" + plan::workspace_parameter(pools_, pool) + ";\n";
  }

  std::string copies(const Frame& frame) const {
    std::string out;
    for (const plan::OutputCopy& c : frame.schedule.copies)
      out += "  memcpy(" + output_name(frame, c.output) + ", " +
             address(frame, frame.schedule.values[c.source], "void", true) + ", " +
             number(frame.graph.values[frame.graph.outputs[c.output]].type.bytes()) + ");\n";
    for (const plan::Move& m : frame.schedule.commits)
      out += "  memcpy(" + address(frame, m.to, "void", false) + ", " + address(frame, m.from, "void", true) + ", " +
             number(m.bytes) + ");\n";
    return out;
  }

  std::string input_name(const Frame& frame, std::size_t i) const {
    return frame.is_root ? "inputs->" + model_.inputs[i].field : "in" + number(i);
  }
  std::string output_name(const Frame& frame, std::size_t i) const {
    return frame.is_root ? "outputs->" + model_.outputs[i].field : "out" + number(i);
  }

  // The start of what lies at `at`, as a pointer to `type`.
  std::string address(const Frame& frame, const plan::Location& at, const std::string& type, bool is_const) const {
    const std::string through = is_const ? "(const void *)" : "(void *)";
    const std::string cast =
        type == "void" ? through : std::string("(") + (is_const ? "const " : "") + type + " *)" + through;
    auto typed = [&](ir::ValueId v, const std::string& name) {
      return !frame.is_root && (type == "void" || c_type(frame.graph.values[v].type.dtype) == type) ? name
                                                                                                    : cast + name;
    };
    const bool inside = frame.is_root && at.place == Place::input && at.offset != 0;
    if (inside) return cast + "((uint8_t *)" + input_name(frame, at.index) + " + " + number(at.offset) + ")";
    switch (at.place) {
      case Place::workspace: return cast + "(" + start(at.index) + " + " + number(at.offset) + ")";
      case Place::instance: return cast + "((uint8_t *)instance + " + number(at.offset) + ")";
      case Place::constant: return cast + frame.part.output_constants.at(at.index);
      case Place::input: return typed(frame.graph.inputs[at.index], input_name(frame, at.index));
      case Place::output: return typed(frame.graph.outputs[at.index], output_name(frame, at.index));
    }
    return {};
  }

  std::string argument(const Frame& frame, const plugin::StepOperand& o, bool is_const) const {
    const plan::Location& at = o.value == ir::kNoValue ? frame.schedule.private_values[o.private_value]
                                                       : frame.schedule.values[frame.schedule.storage[o.value]];
    return address(frame, at, operand_type(frame.graph, o), is_const);
  }

  std::string call(const Frame& frame, std::size_t s) const {
    const plugin::Step& step = frame.part.steps[s];
    const bool is_control = step.control != ir::kNoNode;
    std::string arguments;
    if (step.decl.uses_instance) arguments = is_control ? "instance" : instance_of(step.codegen);
    auto add = [&](const std::string& a) { arguments += (arguments.empty() ? "" : ", ") + a; };
    for (const plugin::StepOperand& o : step.inputs) add(argument(frame, o, true));
    for (const plugin::StepOperand& o : step.outputs) add(argument(frame, o, false));
    for (const plan::Location& w : frame.schedule.workspaces[s])
      add(w.place == Place::input ? address(frame, w, "void", false) : start(w.index) + " + " + number(w.offset));
    return "  status = " + step.decl.symbol + "(" + arguments + ");\n  if (status != 0) return status;\n";
  }

  std::string instance_of(const std::string& codegen) const {
    const auto& all = request_.compilation.instances;
    const auto at = std::find_if(all.begin(), all.end(), [&](const auto& i) { return i.codegen == codegen; });
    const std::uint64_t offset = at == all.end() ? 0 : layout_.codegens[static_cast<std::size_t>(at - all.begin())];
    return "(uint8_t *)instance + " + number(offset);
  }

  // Every state as it is at the start of a sequence.
  std::string start_states() const {
    std::string out;
    for (std::size_t i = 0; i < request_.graph.states.size(); ++i) {
      const ir::State& state = request_.graph.states[i];
      const std::uint64_t bytes = request_.graph.values[state.value].type.bytes();
      if (bytes == 0) continue;
      const std::string to = "(uint8_t *)instance + " + number(layout_.states[i]);
      const auto initial = request_.compilation.state_constants.find(i);
      if (initial != request_.compilation.state_constants.end())
        out += "  memcpy(" + to + ", " + initial->second + ", " + number(bytes) + ");\n";
      else
        out += "  memset(" + to + ", " +
               number(std::to_integer<unsigned>(ir::initial_bytes(request_.graph, state)[0])) + ", " + number(bytes) +
               ");\n";
    }
    return out;
  }

  std::string lifecycle() const {
    std::string out;
    const std::pair<const char*, std::string codegen::Instance::*> phases[] = {{"init", &codegen::Instance::init},
                                                                               {"reset", &codegen::Instance::reset},
                                                                               {"deinit", &codegen::Instance::deinit}};
    for (const auto& [phase, symbol] : phases) {
      out += "\nint32_t " + request_.prefix + "_" + phase + "(" + request_.prefix + "_instance_t *instance) {\n";
      out += "  int32_t status = 0;\n  (void)instance;\n";
      for (const plugin::InstanceArtifact& i : request_.compilation.instances)
        if (!(i.decl.*symbol).empty())
          out +=
              "  status = " + i.decl.*symbol + "(" + instance_of(i.codegen) + ");\n  if (status != 0) return status;\n";
      if (symbol != &codegen::Instance::deinit) out += start_states();
      out += "  return status;\n}\n";
    }
    return out;
  }

  const AotRequest& request_;
  const ModelInterface& model_;
  const plan::InstanceLayout layout_;
  const std::vector<plan::RamPool> pools_;
};

}  // namespace

RootText root_text(const AotRequest& request, const ModelInterface& model) { return RootWriter(request, model).run(); }

std::string step_prototypes(const AotRequest& request) {
  std::string out;
  plan::for_each_graph(request.graph, [&](const ir::Graph& graph) {
    for (const plugin::Step& s : plan::part_of(request.compilation, graph, request.graph).steps)
      if (s.control == ir::kNoNode) out += prototype(graph, s) + ";\n";
  });
  return out;
}

}  // namespace byoc::executor
