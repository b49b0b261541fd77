#include "sdk/app/cli/causes.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "sdk/base/support/json.hpp"

namespace byoc::cli {

ExitCode cause_of_stage(std::string_view stage, bool foreign) {
  static constexpr std::array<std::pair<std::string_view, ExitCode>, 7> kCauses{{{"import", kModelRefused},
                                                                                 {"partition", kModelRefused},
                                                                                 {"optimise", kModelRefused},
                                                                                 {"plan", kDoesNotFit},
                                                                                 {"fit", kDoesNotFit},
                                                                                 {"pack", kEnvironment},
                                                                                 {"prepare", kEnvironment}}};
  for (const auto& [name, code] : kCauses)
    if (name == stage) return code;
  // codegen, compile, verify: byoc's own code gives no reason to fail there.
  if (stage == "codegen" || stage == "compile" || stage == "verify") return foreign ? kPluginFailed : kEnvironment;
  return kFailed;
}

std::string_view name_of(ExitCode code) {
  switch (code) {
    case kDone: return "done";
    case kWrongCommandLine: return "usage";
    case kModelRefused: return "model";
    case kDoesNotFit: return "memory";
    case kPluginFailed: return "plug-in";
    case kEnvironment: return "environment";
    case kFailed: break;
  }
  return "failed";
}

std::string diagnostic_json(const Diagnostic& d) {
  static constexpr std::array<const char*, 3> kLevels{"note", "warning", "error"};
  Json out = {{"level", kLevels.at(static_cast<std::size_t>(d.level))}};
  const std::string message = message_with_origin(d);
  for (const auto& [name, text] :
       {std::pair("file", &d.file), std::pair("node", &d.node), std::pair("codegen", &d.codegen),
        std::pair("message", &message), std::pair("found", &d.found), std::pair("expected", &d.expected)})
    if (!text->empty()) out[name] = *text;
  return ascii_json_text(out);
}

}  // namespace byoc::cli
