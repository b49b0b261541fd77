#include "sdk/program/executor/aot/tie.hpp"

#include <span>
#include <vector>

#include "sdk/base/support/identity.hpp"
#include "sdk/program/executor/aot/fields.hpp"
#include "sdk/program/executor/template.hpp"
#include "sdk/target/module/tied_name.hpp"
#include "sdk/target/target/cores.hpp"

namespace byoc::executor {
namespace {

struct TiedFunction {
  std::string name;
  std::string parameters;
  std::string arguments;
};

// A program cannot run a model without these.
std::vector<TiedFunction> tied_functions(const PrintRequest& request) {
  const ModelInterface& model = request.model;
  const std::string& p = model.prefix;
  const bool stateful = model.instance_bytes != 0;
  const std::string instance = p + "_instance_t *instance";
  std::vector<TiedFunction> out;
  if (stateful) out.push_back({p + "_init", instance, "instance"});
  const std::string parameters = (stateful ? instance + ", " : "") + "const " + p + "_inputs_t *inputs,\n    const " +
                                 p + "_outputs_t *outputs, void *workspace" +
                                 further_workspaces(model, ", void *workspace_");
  const std::string arguments = (stateful ? "instance, " : "") + std::string("inputs, outputs, workspace") +
                                further_workspaces(model, ", workspace_");
  out.push_back({p + "_run", parameters, arguments});
  if (request.resumable)
    out.push_back({p + "_begin", p + "_progress_t *progress, " + parameters, "progress, " + arguments});
  return out;
}

std::string for_each(const PrintRequest& request, const std::string& layout, const std::string& file) {
  std::string out;
  for (const TiedFunction& f : tied_functions(request))
    out += fill_template(file, {{"FUNCTION", f.name},
                                {"TIED", tied_name(f.name, layout)},
                                {"PARAMETERS", f.parameters},
                                {"ARGUMENTS", f.arguments}});
  return out;
}

}  // namespace

std::string layout_hash(const PrintRequest& request, const std::string& interface) {
  const TargetSpec& t = request.target;
  std::string text = interface;
  for (const std::string& part : {t.triple, t.cpu + target::cpu_options(t), t.march, t.fpu, t.float_abi, t.abi,
                                  t.code_model, std::string(t.short_enums ? "short enums" : "")})
    text += '\0' + part;
  constexpr std::size_t kDigits = 8;
  return to_hex(identify(std::as_bytes(std::span(text)))).substr(0, kDigits);
}

std::string tie_header_text(const PrintRequest& request, const std::string& layout) {
  Fields f = fields_of(request);
  f["TIES"] = for_each(request, layout, "tied_function.h.in");
  return fill_template("tie.h.in", f);
}

std::string untie_text(const PrintRequest& request) { return for_each(request, {}, "untie.c.in"); }

std::string tie_text(const PrintRequest& request, const std::string& layout) {
  return for_each(request, layout, "tied_function.c.in");
}

}  // namespace byoc::executor
