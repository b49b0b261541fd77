#include "sdk/program/executor/aot/levels.hpp"

#include "sdk/program/executor/aot/fields.hpp"
#include "sdk/program/executor/template.hpp"

namespace byoc::executor {
namespace {

// Arguments of a function of a level, with types where `declares`.
std::string parameters(const ModelInterface& level, const std::string& function, bool declares) {
  const auto typed = [&](const char* type, const char* name) { return (declares ? type : std::string()) + name; };
  std::string out = level.instance_bytes == 0 ? "" : typed("void *", "instance");
  if (function == "run")
    out += (out.empty() ? "" : ", ") + typed("const void *", "inputs") + ", " + typed("const void *", "outputs") +
           ", " + typed("void *", "workspace");
  return out;
}

constexpr const char* kPhases[] = {"init", "reset", "deinit"};

}  // namespace

std::string levels_header_text(const PrintRequest& request) {
  return request.levels.empty() ? "" : fill_template("levels.h.in", fields_of(request));
}

std::string levels_text(const PrintRequest& request) {
  if (request.levels.empty()) return {};
  Fields f = fields_of(request);
  f["DECLARED"] = f["CONSTANTS"] = f["CHOICE"] = "";
  for (const Level& level : request.levels) {
    const ModelInterface& m = level.interface;
    const std::string n = number(static_cast<std::uint64_t>(level.number));
    f["DECLARED"] += "int32_t " + m.prefix + "_run(" + parameters(m, "run", true) + ");\n";
    for (const char* phase : kPhases)
      if (m.instance_bytes != 0)
        f["DECLARED"] += "int32_t " + m.prefix + "_" + phase + "(" + parameters(m, phase, true) + ");\n";
    if (!m.devices.empty())
      f["DECLARED"] += "void " + m.prefix + "_set_devices(void *instance, const void *const *devices);\n";
    f["CONSTANTS"] += "static int32_t level_" + n + "(void) { return " + n + "; }\n";
    f["CHOICE"] = "  if (level >= " + n + ") return level_" + n + ";\n" + f["CHOICE"];  // the highest first
  }
  return fill_template("levels.c.in", f);
}

std::string to_level(const PrintRequest& request, const std::string& function) {
  std::string cases;
  for (const Level& level : request.levels) {
    const ModelInterface& m = level.interface;
    const std::string at = "  case " + number(static_cast<std::uint64_t>(level.number)) + ":";
    if (function == "set_devices") {
      std::string handles;
      for (const std::string& d : m.devices) handles += (handles.empty() ? "" : ", ") + ("devices->" + d);
      cases +=
          at + (handles.empty() ? " return;\n" : " {\n    const void *handles[" + number(m.devices.size()) + "];\n");
      for (std::size_t i = 0; i < m.devices.size(); ++i)
        cases += "    handles[" + number(i) + "] = devices->" + m.devices[i] + ";\n";
      if (!handles.empty()) cases += "    " + m.prefix + "_set_devices(instance, handles);\n    return;\n  }\n";
    } else if (function == "run" || m.instance_bytes != 0) {
      cases += at + " return " + m.prefix + "_" + function + "(" + parameters(m, function, false) + ");\n";
    } else {
      cases += at + " return 0;\n";
    }
  }
  if (cases.empty()) return {};
  return "#ifndef BYOC_TRACE\n  switch (" + request.model.prefix + "_level()) {\n" + cases +
         "  default: break;\n  }\n#endif\n";
}

}  // namespace byoc::executor
