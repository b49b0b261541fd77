#include "sdk/executor/step_table.hpp"

#include "byoc/c_text.hpp"
#include "sdk/executor/control_text.hpp"
#include "sdk/executor/template.hpp"
#include "sdk/plan/instance.hpp"

namespace byoc::executor {
namespace {

std::string number(std::uint64_t n) { return std::to_string(n); }

class TableWriter {
 public:
  explicit TableWriter(const AotRequest& request)
      : request_(request),
        graph_(request.graph),
        schedule_(request.schedule),
        layout_(plan::instance_layout(request.graph, request.compilation.instances)) {}

  std::string run(const ModelInterface& model) {
    std::map<std::string, std::string> f = {{"TITLE", c_comment(model.name)},
                                            {"PREFIX", request_.prefix},
                                            {"HEADER", request_.header},
                                            {"INTERNAL_HEADER", request_.internal_header}};
    const std::vector<plugin::Step>& steps = request_.compilation.steps;
    f["PROTOTYPES"] = control_prototypes(request_);
    f["STEPS"] = f["ENTRIES"] = f["MOVES"] = "";
    for (std::size_t s = 0; s < steps.size(); ++s) {
      f["STEPS"] += wrapper(steps[s], s) + places(steps[s], s);
      f["ENTRIES"] += entry(steps[s], s);
    }
    for (const auto& [to, from] : moves()) f["MOVES"] += "  {" + to + ", " + from + "},\n";
    f["STEP_COUNT"] = number(steps.size());
    f["MOVE_COUNT"] = number(moves().size());
    return fill_template("step_table.c.in", f);
  }

 private:
  std::string type_of(const plugin::StepOperand& o) const {
    return o.value == ir::kNoValue ? "void" : std::string(c_type(graph_.values[o.value].type.dtype));
  }

  std::string wrapper(const plugin::Step& step, std::size_t s) const {
    std::string arguments;
    std::size_t operand = 0;
    auto add = [&](const std::string& a) { arguments += (arguments.empty() ? "" : ", ") + a; };
    if (step.decl.uses_instance)
      add((step.control == ir::kNoNode ? "" : "(" + request_.prefix + "_instance_t *)") +
          std::string("args->instance"));
    for (const plugin::StepOperand& o : step.inputs)
      add("(const " + type_of(o) + " *)args->operands[" + number(operand++) + "]");
    for (const plugin::StepOperand& o : step.outputs)
      add("(" + type_of(o) + " *)args->operands[" + number(operand++) + "]");
    for (std::size_t w = 0; w < schedule_.workspaces[s].size(); ++w) add("args->workspaces[" + number(w) + "]");
    return "\nstatic int32_t call_" + number(s) + "(const byoc_step_args_t *args) {\n" +
           "  if (args->struct_size < sizeof(byoc_step_args_t)) return BYOC_STEP_ARGS_TOO_SMALL;\n  return " +
           step.decl.symbol + "(" + arguments + ");\n}\n";
  }

  // {place, index, offset, bytes, constant}
  std::string place(const plan::Location& at, std::uint64_t bytes) const {
    std::uint64_t index = at.index;
    std::string constant = "NULL";
    if (at.place == Place::workspace) index = schedule_.workspace_index(at.index);
    if (at.place == Place::instance) index = 0;
    if (at.place == Place::constant) {
      constant = request_.compilation.output_constants.at(at.index);
      index = 0;
    }
    return "{" + number(static_cast<std::uint64_t>(at.place)) + ", " + number(index) + ", " + number(at.offset) + ", " +
           number(bytes) + ", " + constant + "}";
  }

  std::string place(const plugin::StepOperand& o) const {
    if (o.value == ir::kNoValue)
      return place(schedule_.private_values[o.private_value],
                   request_.compilation.private_values[o.private_value].bytes);
    return place(schedule_.values[schedule_.storage[o.value]], graph_.values[o.value].type.bytes());
  }

  std::string places(const plugin::Step& step, std::size_t s) const {
    std::string operands, workspaces;
    for (const auto* list : {&step.inputs, &step.outputs})
      for (const plugin::StepOperand& o : *list) operands += "  " + place(o) + ",\n";
    for (std::size_t w = 0; w < schedule_.workspaces[s].size(); ++w)
      workspaces += "  " + place(schedule_.workspaces[s][w], schedule_.workspace_bytes[s][w]) + ",\n";
    const std::string end = "  {0, 0, 0, 0, NULL}};\n";
    return "static const byoc_place_t operands_" + number(s) + "[] = {\n" + operands + end +
           "static const byoc_place_t workspaces_" + number(s) + "[] = {\n" + workspaces + end;
  }

  std::string entry(const plugin::Step& step, std::size_t s) const {
    const std::string n = number(s);
    return "  {\"" + step.decl.symbol + "\", call_" + n + ", operands_" + n + ", workspaces_" + n + ", " +
           number(step.inputs.size()) + ", " + number(step.outputs.size()) + ", " +
           number(schedule_.workspaces[s].size()) + ", " + (step.decl.uses_instance ? "1" : "0") + ", " +
           number(instance_offset(step)) + "},\n";
  }

  std::uint64_t instance_offset(const plugin::Step& step) const {
    const auto& all = request_.compilation.instances;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].codegen == step.codegen && step.control == ir::kNoNode) return layout_.codegens[i];
    return 0;
  }

  std::vector<std::pair<std::string, std::string>> moves() const {
    std::vector<std::pair<std::string, std::string>> out;
    for (const plan::OutputCopy& c : schedule_.copies) {
      const std::uint64_t bytes = graph_.values[graph_.outputs[c.output]].type.bytes();
      out.emplace_back(place({Place::output, c.output, 0}, bytes), place(schedule_.values[c.source], bytes));
    }
    for (const plan::Move& m : schedule_.commits) out.emplace_back(place(m.to, m.bytes), place(m.from, m.bytes));
    return out;
  }

  const AotRequest& request_;
  const ir::Graph& graph_;
  const plan::Schedule& schedule_;
  const plan::InstanceLayout layout_;
};

}  // namespace

std::string step_table_text(const AotRequest& request, const ModelInterface& model) {
  return TableWriter(request).run(model);
}

}  // namespace byoc::executor
