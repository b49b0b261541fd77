#include "sdk/program/executor/aot/functions.hpp"

#include "byoc/c_text.hpp"
#include "sdk/program/executor/aot/calls.hpp"
#include "sdk/program/executor/aot/fields.hpp"

namespace byoc::executor {
namespace {

// The parameters that a body's function uses.
struct Used {
  std::vector<bool> inputs, outputs, pools;

  explicit Used(const plan::Routine& routine)
      : inputs(routine.inputs.size()), outputs(routine.outputs.size()), pools(routine.workspaces.size()) {
    for (const plan::Call& c : routine.calls)
      for (const auto* list : {&c.inputs, &c.outputs, &c.workspaces})
        for (const plan::Operand& o : *list) add(o);
    for (const plan::Move& m : routine.moves) {
      add(m.to);
      add(m.from);
    }
  }

  void add(const plan::Operand& o) {
    if (o.place == Place::input) inputs[o.index] = true;
    if (o.place == Place::output) outputs[o.index] = true;
    if (o.place == Place::workspace) pools[o.index] = true;
  }
};

std::string ignore(const std::string& name) { return "  (void)" + name + ";\n"; }

std::vector<DType> dtypes(const std::vector<plan::Tensor>& tensors) {
  std::vector<DType> out;
  for (const plan::Tensor& t : tensors) out.push_back(t.dtype);
  return out;
}

std::string body_function(const PrintRequest& request, const plan::Routine& routine) {
  const CallWriter writer(request, routine);
  const Used used(routine);
  std::string bases, unused;
  for (std::size_t i = 0; i < used.inputs.size(); ++i)
    if (!used.inputs[i]) unused += ignore("in" + number(i));
  for (std::size_t i = 0; i < used.outputs.size(); ++i)
    if (!used.outputs[i]) unused += ignore("out" + number(i));
  for (std::size_t p = 0; p < used.pools.size(); ++p) {
    if (used.pools[p])
      bases += writer.base(p);
    else if (routine.has_workspace(p))
      unused += ignore(writer.parameter(p));
  }
  std::string out = "\nstatic int32_t " + routine.symbol + "(" +
                    parameter_list(request, routine.uses_instance, dtypes(routine.inputs), dtypes(routine.outputs),
                                   workspace_parameters(request, routine)) +
                    ") {\n" + bases;
  if (!routine.calls.empty()) out += "  int32_t status = 0;\n";
  out += unused;
  for (const plan::Call& c : routine.calls) out += writer.call(c);
  return out + writer.moves() + "  return 0;\n}\n";
}

// Bodies stand before what calls them.
std::string functions(const PrintRequest& request, const plan::Routine& routine) {
  std::string out;
  for (const plan::Call& c : routine.calls) {
    if (!c.control) continue;
    const std::vector<const char*> names =
        c.control->kind == plan::ControlKind::branch ? std::vector{"then_branch", "else_branch"} : std::vector{"body"};
    for (std::size_t b = 0; b < names.size(); ++b) {
      const plan::Routine& body = request.program.bodies[c.control->bodies[b]];
      out += functions(request, body) + "\n/* " + names[b] + " of " + c_comment(c.control->node) + " */" +
             body_function(request, body);
    }
    const bool in_main = &routine == &request.program.main;
    out += "\n/* " + c_comment(c.control->node) + " */\n" +
           (in_main ? control_head(request, c) + ";\n" : std::string("static ")) + control_function(request, c);
  }
  return out;
}

}  // namespace

std::string functions(const PrintRequest& request) { return functions(request, request.program.main); }

std::vector<std::string> workspace_parameters(const PrintRequest& request, const plan::Routine& routine) {
  const CallWriter writer(request, routine);
  std::vector<std::string> out;
  for (std::size_t p = 0; p < routine.workspaces.size(); ++p)
    if (routine.has_workspace(p)) out.push_back(writer.parameter(p));
  return out;
}

std::string parameter_list(const PrintRequest& request, bool uses_instance, const std::vector<DType>& inputs,
                           const std::vector<DType>& outputs, const std::vector<std::string>& workspaces) {
  std::string out = uses_instance ? request.model.prefix + "_instance_t *instance, " : "";
  for (std::size_t i = 0; i < inputs.size(); ++i)
    out += "const " + std::string(c_type(inputs[i])) + " *in" + number(i) + ", ";
  for (std::size_t i = 0; i < outputs.size(); ++i) out += std::string(c_type(outputs[i])) + " *out" + number(i) + ", ";
  for (const std::string& w : workspaces) out += "void *" + w + ", ";
  out.resize(out.size() - 2);
  return out;
}

}  // namespace byoc::executor
