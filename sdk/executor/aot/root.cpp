#include "sdk/executor/aot/root.hpp"

#include "sdk/executor/aot/calls.hpp"
#include "sdk/executor/aot/fields.hpp"
#include "sdk/executor/aot/functions.hpp"
#include "sdk/executor/template.hpp"

namespace byoc::executor {
namespace {

std::string at(std::uint64_t offset) { return "(uint8_t *)instance + " + number(offset); }

// Every state as it is at the start of a sequence.
std::string start_states(const plan::Program& program) {
  std::string out;
  for (const plan::InitialState& s : program.instance.states)
    out += s.constant
               ? "  memcpy(" + at(s.offset) + ", " + program.constants[*s.constant] + ", " + number(s.bytes) + ");\n"
               : "  memset(" + at(s.offset) + ", " + number(s.fill) + ", " + number(s.bytes) + ");\n";
  return out;
}

std::string lifecycle(const PrintRequest& request) {
  using Part = plan::InstancePart;
  const std::string& prefix = request.model.prefix;
  const std::string states = start_states(request.program);
  const std::pair<const char*, std::string Part::*> phases[] = {
      {"init", &Part::init}, {"reset", &Part::reset}, {"deinit", &Part::deinit}};
  std::string out;
  for (const auto& [phase, symbol] : phases) {
    out += "\nint32_t " + prefix + "_" + phase + "(" + prefix + "_instance_t *instance) {\n";
    out += "  int32_t status = 0;\n  (void)instance;\n";
    for (const Part& p : request.program.instance.parts)
      if (!(p.*symbol).empty())
        out += "  status = " + p.*symbol + "(" + at(p.offset) + ");\n  if (status != 0) return status;\n";
    if (symbol != &Part::deinit) out += states;
    out += "  return status;\n}\n";
  }
  return out;
}

}  // namespace

std::string root_text(const PrintRequest& request) {
  const plan::Routine& main = request.program.main;
  const CallWriter writer(request, main);
  const bool stateful = request.model.instance_bytes != 0;
  Fields f = fields_of(request);
  f["INSTANCE_PARAMETER"] = stateful ? request.model.prefix + "_instance_t *instance, " : "";
  f["INSTANCE_UNUSED"] = stateful ? "  (void)instance;\n" : "";
  f["WORKSPACES"] = further_workspaces(request.model, ", void *workspace_");
  f["BASES"] = f["BASES_UNUSED"] = "";
  for (std::size_t p = 0; p < main.workspaces.size(); ++p) {
    if (!main.has_workspace(p)) continue;
    f["BASES"] += writer.base(p);
    f["BASES_UNUSED"] += "  (void)" + writer.start(p) + ";\n";
  }
  f["FUNCTIONS"] = functions(request);
  f["LIFECYCLE"] = stateful ? lifecycle(request) : "";
  f["CALLS"] = "";
  for (std::size_t s = 0; s < main.calls.size(); ++s)
    f["CALLS"] += writer.call(main.calls[s]) + "  TRACE(" + number(s) + ");\n";
  f["COPIES"] = writer.moves();
  return fill_template("root.c.in", f);
}

}  // namespace byoc::executor
