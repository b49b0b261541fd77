#include "sdk/program/executor/aot/root.hpp"

#include <algorithm>

#include "sdk/program/executor/aot/bind.hpp"
#include "sdk/program/executor/aot/calls.hpp"
#include "sdk/program/executor/aot/fields.hpp"
#include "sdk/program/executor/aot/functions.hpp"
#include "sdk/program/executor/aot/header.hpp"
#include "sdk/program/executor/aot/hooks.hpp"
#include "sdk/program/executor/aot/levels.hpp"
#include "sdk/program/executor/aot/resume.hpp"
#include "sdk/program/executor/aot/steps.hpp"
#include "sdk/program/executor/aot/tie.hpp"
#include "sdk/program/executor/template.hpp"

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

// The place of a device's handle in its part of the instance.
std::string handle(const plan::InstancePart& part) { return "*(void **)(" + at(part.offset) + ")"; }

std::string lifecycle(const PrintRequest& request) {
  using Part = plan::InstancePart;
  const std::string& prefix = request.model.prefix;
  const std::string states = start_states(request.program);
  const std::pair<const char*, std::string Part::*> phases[] = {
      {"init", &Part::init}, {"reset", &Part::reset}, {"deinit", &Part::deinit}};
  std::string out;
  for (const auto& [phase, symbol] : phases) {
    out += "\nint32_t " + prefix + "_" + phase + "(" + prefix + "_instance_t *instance) {\n";
    out += "  int32_t status = 0;\n  (void)instance;\n" + to_level(request, phase) + check_bound(request);
    if (symbol == &Part::init)
      for (const Part& p : request.program.instance.parts)
        if (!p.device.empty()) out += "  " + handle(p) + " = NULL;\n";
    for (const Part& p : request.program.instance.parts)
      if (!(p.*symbol).empty())
        out += "  status = " + p.*symbol + "(" + at(p.offset) + ");\n  if (status != 0) return status;\n";
    if (symbol != &Part::deinit) out += states;
    out += "  return status;\n}\n";
  }
  if (request.model.devices.empty()) return out;
  out += "\nvoid " + prefix + "_set_devices(" + prefix + "_instance_t *instance, const " + prefix +
         "_devices_t *devices) {\n  (void)instance;\n  (void)devices;\n" + to_level(request, "set_devices");
  for (const Part& p : request.program.instance.parts)
    if (!p.device.empty()) out += "  " + handle(p) + " = (void *)(uintptr_t)devices->" + p.device + ";\n";
  return out + "}\n";
}

std::string calls(const StepWriter& steps, std::size_t first, std::size_t end) {
  std::string out;
  for (std::size_t s = first; s < end; ++s) out += steps.text(s);
  return out;
}

// The calls of the root, in one piece or in functions before it, which have its parameters. Their names have no '_', as
// those of steps have.
void add_calls(const PrintRequest& request, const StepWriter& steps, Fields& f) {
  f["PARTS"] = "";
  if (steps.count() <= kStepsOfPart) {
    f["CALLS"] = calls(steps, 0, steps.count());
    return;
  }
  const std::string arguments = (request.model.instance_bytes != 0 ? "instance, " : "") +
                                ("inputs, outputs, workspace" + further_workspaces(request.model, ", workspace_"));
  f["CALLS"] = "";
  for (std::size_t first = 0; first < steps.count(); first += kStepsOfPart) {
    f["PART"] = "part" + number(first / kStepsOfPart);
    f["PART_CALLS"] = calls(steps, first, std::min(first + kStepsOfPart, steps.count()));
    f["PARTS"] += fill_template("root_part.c.in", f);
    f["CALLS"] += "  status = " + f["PART"] + "(" + arguments + ");\n  if (status != 0) return status;\n";
  }
}

// "0x3f, 0x20, ..." of hexadecimal digits.
std::string bytes_of_hex(const std::string& hex) {
  std::string out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) out += (i == 0 ? "0x" : ", 0x") + hex.substr(i, 2);
  return out;
}

std::string id_note(const PrintRequest& request) {
  if (request.id.empty()) return {};
  return fill_template("id_note.c.in", {{"PREFIX", request.model.prefix}, {"BYTES", bytes_of_hex(request.id)}});
}

}  // namespace

std::string root_text(const PrintRequest& request, const std::set<std::size_t>& tapped) {
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
  f["CHECK_BOUND"] = check_bound(request);
  f["HOOKS"] = levels_text(request) + hooks_text(request);
  f["TO_LEVEL"] = to_level(request, "run");
  f["HOOKS_LOCAL"] = hooks_local(request);
  f["FUNCTIONS"] = functions(request);
  f["LIFECYCLE"] = stateful ? lifecycle(request) : "";
  add_calls(request, StepWriter(request, writer, tapped), f);
  f["COPIES"] = writer.moves();
  f["RESUMABLE"] = resume_text(request, tapped);
  f["ID_NOTE"] = id_note(request);
  f["UNTIE"] = untie_text(request);
  f["TIES"] = tie_text(request, layout_of(request));
  return fill_template("root.c.in", f);
}

}  // namespace byoc::executor
