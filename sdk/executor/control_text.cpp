#include "sdk/executor/control_text.hpp"

#include <algorithm>

#include "byoc/c_text.hpp"
#include "sdk/ir/control.hpp"
#include "sdk/plan/control.hpp"
#include "sdk/plan/ram_pools.hpp"

namespace byoc::executor {
namespace {

std::string number(std::uint64_t n) { return std::to_string(n); }

bool is_word(char c) { return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool mentions(const std::string& text, const std::string& word) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return true;
  }
  return false;
}

std::vector<ir::ValueId> ids(const std::vector<plugin::StepOperand>& operands) {
  std::vector<ir::ValueId> out;
  for (const plugin::StepOperand& o : operands) out.push_back(o.value);
  return out;
}

class ControlWriter {
 public:
  ControlWriter(const AotRequest& request, const ir::Graph& graph, const plugin::Step& step,
                const plan::ControlPlan& plan)
      : request_(request),
        graph_(graph),
        step_(step),
        node_(graph.nodes[step.control]),
        plan_(plan),
        workspaces_(workspace_parameters(request.target, plan.pools)) {}

  std::string run() {
    const std::string body = node_.op == "If" ? if_text() : loop_text();
    const bool is_root = &graph_ == &request_.graph;
    return "\n/* " + c_comment(node_.describe()) + " */\n" + (is_root ? head() + ";\n" : "static ") + head() + " {\n" +
           body + "}\n";
  }

  std::string head() const {
    return "int32_t " + step_.decl.symbol + "(" +
           function_parameters(request_, graph_, ids(step_.inputs), ids(step_.outputs), step_.decl.uses_instance,
                               workspaces_) +
           ")";
  }

 private:
  std::string type_of(const ir::Graph& g, ir::ValueId v) const { return std::string(c_type(g.values[v].type.dtype)); }

  const plugin::GraphPart& part(const ir::Graph& body) const {
    return plan::part_of(request_.compilation, body, request_.graph);
  }

  bool uses_instance(const ir::Graph& body) const {
    const auto& steps = part(body).steps;
    return std::any_of(steps.begin(), steps.end(), [](const plugin::Step& s) { return s.decl.uses_instance; });
  }

  // Of the body at this place in the plan, which takes the workspaces that it needs.
  std::string call(const ir::Graph& body, std::size_t index, const std::vector<std::string>& arguments) const {
    std::string out = part(body).symbol + "(";
    if (uses_instance(body)) out += "instance, ";
    for (const std::string& a : arguments) out += a + ", ";
    for (const std::string& w : workspace_parameters(request_.target, plan_.bodies[index].plan.pools)) out += w + ", ";
    out.resize(out.size() - 2);
    return out + ")";
  }

  std::string if_text() const {
    std::vector<std::string> arguments;
    for (std::size_t i = 1; i < step_.inputs.size(); ++i) arguments.push_back("in" + number(i));
    for (std::size_t i = 0; i < step_.outputs.size(); ++i) arguments.push_back("out" + number(i));
    const std::string text = "  if (in0[0] != 0) return " + call(*ir::body_of(node_, "then_branch"), 0, arguments) +
                             ";\n  return " + call(*ir::body_of(node_, "else_branch"), 1, arguments) + ";\n";
    return ignore_unused(text, step_.inputs.size(), step_.outputs.size(), step_.decl.uses_instance, workspaces_) + text;
  }

  // Parameter of the function that is this input of the node; optional ones that are not given have none.
  std::string parameter(std::size_t node_input) const {
    std::size_t index = 0;
    for (std::size_t i = 0; i < node_input; ++i) index += node_.inputs[i] != ir::kNoValue ? 1u : 0u;
    return "in" + number(index);
  }

  std::uint64_t bytes(const ir::Graph& g, ir::ValueId v) const { return g.values[v].type.bytes(); }
  std::uint64_t elements(const ir::Graph& g, ir::ValueId v) const {
    return static_cast<std::uint64_t>(g.values[v].type.elements());
  }

  // Declarations, what happens before the loop, its arguments, and what happens after the body and after the loop.
  struct Pieces {
    std::string declarations, before, after_body, after;
    std::vector<std::string> inputs, outputs;
  };

  // A carried value goes from `now` to `next`. One buffer serves for both where the body allows it; otherwise the
  // output and a second buffer take turns, and the first round reads the caller's.
  void add_carried(const ir::LoopForm& form, std::size_t k, Pieces& p) const {
    const std::string in = parameter(form.first_input + k);
    const std::string out = "out" + number(k);
    const std::uint64_t size = bytes(*form.body, form.body->inputs[form.first_input + k]);
    if (plan_.bodies[0].carried[k].in_place) {
      p.before += "  if (" + out + " != " + in + ") memcpy(" + out + ", " + in + ", " + number(size) + ");\n";
      p.inputs.push_back(out);
      p.outputs.push_back(out);
      return;
    }
    const std::string type = type_of(*form.body, form.body->inputs[form.first_input + k]);
    const std::string now = "now" + number(k), next = "next" + number(k), second = "second" + number(k);
    p.declarations += "  " + type + " *const " + second + " = (" + type + " *)(void *)((uint8_t *)workspace + " +
                      number(plan_.second[k]) + ");\n  const " + type + " *" + now + " = " + in + ";\n  " + type +
                      " *" + next + " = " + out + ";\n";
    p.inputs.push_back(now);
    p.outputs.push_back(next);
    p.after_body += "    " + now + " = " + next + ";\n    " + next + " = " + next + " == " + out + " ? " + second +
                    " : " + out + ";\n";
    p.after += "  if (" + now + " != " + out + ") memcpy(" + out + ", " + now + ", " + number(size) + ");\n";
  }

  // "in3 + i * 4"; backwards: from the last slice on.
  std::string slice(const std::string& base, const std::vector<std::int64_t>& backwards, std::size_t k,
                    std::uint64_t count) const {
    const bool turns = k < backwards.size() && backwards[k] != 0;
    return base + " + " + (turns ? "(rounds - 1 - i)" : "i") + " * " + number(count);
  }

  std::string loop_text() const {
    const ir::LoopForm form = ir::loop_form(node_);
    Pieces p;
    for (std::size_t k = 0; k < form.carried; ++k) add_carried(form, k, p);
    for (std::size_t k = 0; k < form.scanned; ++k)
      p.inputs.push_back(slice(parameter(form.carried + k), node_.integers("scan_input_directions", {}), k,
                               elements(*form.body, form.body->inputs[form.carried + k])));
    for (std::size_t k = 0; k < form.captures; ++k) p.inputs.push_back(parameter(form.first_capture() + k));
    for (std::size_t k = 0; k < form.stacked; ++k)
      p.outputs.push_back(slice("out" + number(form.carried + k), node_.integers("scan_output_directions", {}), k,
                                elements(*form.body, form.body->outputs[form.first_output + form.carried + k])));
    const std::string declarations = p.declarations + loop_head(form) + "  int32_t status;\n";
    const std::string code =
        p.before + (form.is_scan ? scan_loop(form, p) : counted_loop(form, p)) + p.after + "  return 0;\n";
    return declarations +
           ignore_unused(declarations + code, step_.inputs.size(), step_.outputs.size(), step_.decl.uses_instance,
                         workspaces_) +
           code;
  }

  std::string loop_head(const ir::LoopForm& form) const {
    if (form.is_scan) {
      const std::uint64_t rounds =
          static_cast<std::uint64_t>((*graph_.values[node_.inputs[form.carried]].type.dims)[0]);
      return "  const int64_t rounds = " + number(rounds) + ";\n  int64_t i;\n";
    }
    std::string out;
    if (node_.inputs[0] != ir::kNoValue) out += "  const int64_t rounds = " + parameter(0) + "[0];\n";
    const std::string start = node_.inputs[1] != ir::kNoValue ? parameter(1) + "[0]" : "1";
    return out + "  uint8_t again = " + start + ", last_again;\n  int64_t i;\n";
  }

  std::string round(const ir::Graph& body, std::vector<std::string> arguments) const {
    return "    status = " + call(body, 0, arguments) + ";\n    if (status != 0) return status;\n";
  }

  static std::vector<std::string> join(std::initializer_list<std::vector<std::string>> lists) {
    std::vector<std::string> out;
    for (const auto& l : lists) out.insert(out.end(), l.begin(), l.end());
    return out;
  }

  std::string scan_loop(const ir::LoopForm& form, const Pieces& p) const {
    return "  for (i = 0; i < rounds; ++i) {\n" + round(*form.body, join({p.inputs, p.outputs})) + p.after_body +
           "  }\n";
  }

  std::string counted_loop(const ir::LoopForm& form, const Pieces& p) const {
    const bool counted = node_.inputs[0] != ir::kNoValue;
    // How many slices the stacked outputs have room for; the model must run as many rounds.
    std::string room;
    if (form.stacked != 0)
      room = number(static_cast<std::uint64_t>((*graph_.values[node_.outputs[form.carried]].type.dims)[0]));
    std::string out = std::string("  for (i = 0; ") + (counted ? "i < rounds && " : "") + "again != 0; ++i) {\n";
    if (!room.empty()) out += "    if (i >= " + room + ") return 1; /* more rounds than the model states */\n";
    out += "    last_again = again;\n";
    out += round(*form.body, join({{"&i", "&last_again"}, p.inputs, {"&again"}, p.outputs})) + p.after_body + "  }\n";
    if (!room.empty()) out += "  if (i != " + room + ") return 1; /* fewer rounds than the model states */\n";
    return out;
  }

  const AotRequest& request_;
  const ir::Graph& graph_;
  const plugin::Step& step_;
  const ir::Node& node_;
  const plan::ControlPlan& plan_;
  const std::vector<std::string> workspaces_;
};

}  // namespace

std::vector<std::string> workspace_parameters(const TargetSpec& target, const std::vector<plan::PoolUse>& pools) {
  const std::vector<plan::RamPool> known = plan::ram_pools(target);
  std::vector<std::string> out;
  for (std::size_t p = 0; p < pools.size(); ++p)
    if (p == 0 || pools[p].bytes != 0) out.push_back(plan::workspace_parameter(known, p));
  return out;
}

std::string function_parameters(const AotRequest& request, const ir::Graph& graph,
                                const std::vector<ir::ValueId>& inputs, const std::vector<ir::ValueId>& outputs,
                                bool uses_instance, const std::vector<std::string>& workspaces) {
  std::string out = uses_instance ? request.prefix + "_instance_t *instance, " : "";
  for (std::size_t i = 0; i < inputs.size(); ++i)
    out += "const " + std::string(c_type(graph.values[inputs[i]].type.dtype)) + " *in" + number(i) + ", ";
  for (std::size_t i = 0; i < outputs.size(); ++i)
    out += std::string(c_type(graph.values[outputs[i]].type.dtype)) + " *out" + number(i) + ", ";
  for (const std::string& w : workspaces) out += "void *" + w + ", ";
  out.resize(out.size() - 2);
  return out;
}

std::string ignore_unused(const std::string& text, std::size_t inputs, std::size_t outputs, bool uses_instance,
                          const std::vector<std::string>& workspaces) {
  std::string out;
  auto check = [&](const std::string& name) {
    if (!mentions(text, name)) out += "  (void)" + name + ";\n";
  };
  if (uses_instance) check("instance");
  for (std::size_t i = 0; i < inputs; ++i) check("in" + number(i));
  for (std::size_t i = 0; i < outputs; ++i) check("out" + number(i));
  for (const std::string& w : workspaces) check(w);
  return out;
}

std::string control_prototypes(const AotRequest& request) {
  std::string out;
  for (std::uint32_t s = 0; s < request.compilation.steps.size(); ++s) {
    const plugin::Step& step = request.compilation.steps[s];
    if (step.control != ir::kNoNode)
      out += ControlWriter(request, request.graph, step, request.schedule.control.at(s)).head() + ";\n";
  }
  return out;
}

std::string control_function(const AotRequest& request, const ir::Graph& graph, const plugin::Step& step,
                             const plan::ControlPlan& plan) {
  return ControlWriter(request, graph, step, plan).run();
}

}  // namespace byoc::executor
