#include "sdk/program/executor/aot/resume.hpp"

#include <algorithm>

#include "sdk/program/executor/aot/bind.hpp"
#include "sdk/program/executor/aot/calls.hpp"
#include "sdk/program/executor/aot/fields.hpp"
#include "sdk/program/executor/aot/hooks.hpp"
#include "sdk/program/executor/aot/steps.hpp"
#include "sdk/program/executor/template.hpp"

namespace byoc::executor {
namespace {

Fields resume_fields(const PrintRequest& request) {
  const ModelInterface& model = request.model;
  const bool stateful = model.instance_bytes != 0;
  Fields f = fields_of(request);
  f["INSTANCE_PARAMETER"] = stateful ? model.prefix + "_instance_t *instance, " : "";
  f["INSTANCE_MEMBER"] = stateful ? "  " + model.prefix + "_instance_t *instance;\n" : "";
  f["STATE_NOTE"] = stateful ? " States are in between then: " + model.prefix + "_reset() before it." : "";
  f["WORKSPACES"] = further_workspaces(model, ", void *workspace_");
  f["WORKSPACE_MEMBERS"] = f["NOTED"] = "";
  if (stateful) f["NOTED"] += "  progress->instance = instance;\n";
  for (const PoolWorkspace& w : model.further_workspaces) {
    f["WORKSPACE_MEMBERS"] += "  void *workspace_" + w.field + ";\n";
    f["NOTED"] += "  progress->workspace_" + w.field + " = workspace_" + w.field + ";\n";
  }
  return f;
}

// A part's own names for what the progress holds.
void add_locals(const PrintRequest& request, const CallWriter& writer, Fields& f) {
  const plan::Routine& main = request.program.main;
  const bool stateful = request.model.instance_bytes != 0;
  f["INSTANCE_LOCAL"] =
      stateful ? "  " + request.model.prefix + "_instance_t *const instance = progress->instance;\n" : "";
  f["INSTANCE_UNUSED"] = stateful ? "  (void)instance;\n" : "";
  f["HOOKS_LOCAL"] = hooks_local(request);
  f["BASES"] = f["BASES_UNUSED"] = "";
  for (std::size_t p = 0; p < main.workspaces.size(); ++p) {
    if (!main.has_workspace(p)) continue;
    f["BASES"] += "  uint8_t *const " + writer.start(p) + " = (uint8_t *)progress->" + writer.parameter(p) + ";\n";
    f["BASES_UNUSED"] += "  (void)" + writer.start(p) + ";\n";
  }
}

}  // namespace

std::string resume_header_text(const PrintRequest& request) {
  return request.resumable ? fill_template("resume.h.in", resume_fields(request)) : "";
}

std::string resume_text(const PrintRequest& request, const std::set<std::size_t>& tapped) {
  if (!request.resumable) return {};
  const CallWriter writer(request, request.program.main);
  const StepWriter steps(request, writer, tapped);
  // The last step copies what a run copies in the end: a model without steps has an empty one for it.
  const std::size_t count = std::max<std::size_t>(steps.count(), 1);
  Fields f = resume_fields(request);
  add_locals(request, writer, f);
  f["CHECK_BOUND"] = check_bound(request);
  f["COUNT"] = number(count);
  f["PARTS"] = f["CALLS"] = "";
  for (std::size_t first = 0; first < count; first += kStepsOfPart) {
    const std::size_t end = std::min(first + kStepsOfPart, count);
    f["FIRST"] = number(first);
    f["PART"] = "resumed" + number(first / kStepsOfPart);
    f["CASES"] = "";
    for (std::size_t s = first; s < end; ++s)
      f["CASES"] += "  case " + number(s) + ":\n" + (s < steps.count() ? steps.text(s) : "") +
                    (s + 1 == count ? writer.moves() : "") + "  break;\n";
    f["PARTS"] += fill_template("resume_part.c.in", f);
    f["CALLS"] += std::string(first == 0 ? "  if" : "  else if") + " (left > " + number(count - end) +
                  "u)\n    status = " + f["PART"] + "(progress, " + number(count) + "u - left);\n";
  }
  return fill_template("resume.c.in", f);
}

}  // namespace byoc::executor
