// Options of plug-ins: what the user wrote against what the plug-in declared.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sdk/codegen/plugin/abi/negotiate.hpp"

namespace byoc::plugin {

// {option name, value as written}, of one plug-in.
using OptionTexts = std::map<std::string, std::string>;

struct OptionValue {
  std::uint32_t type = 0;  // BYOC_OPTION_...
  std::string name;
  std::string text;
  std::int64_t integer = 0;
  double real = 0;
};

// One value for each declared option, in their order. Errors name the option, what was found and what was expected;
// an unknown option lists the known ones.
[[nodiscard]] Result<std::vector<OptionValue>> resolve_options(const Plugin& plugin, const OptionTexts& given,
                                                               Diagnostics& diags);

// "com.acme.npu.mode=fast" -> {"com.acme.npu", {{"mode", "fast"}}}: the plug-in's id ends at the last dot before '='.
[[nodiscard]] Result<std::map<std::string, OptionTexts>> parse_options(const std::vector<std::string>& texts,
                                                                       Diagnostics& diags);

}  // namespace byoc::plugin
