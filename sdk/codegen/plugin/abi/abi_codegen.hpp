// A plug-in of the C ABI as a codegen of the host's.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "byoc/codegen.hpp"
#include "sdk/codegen/plugin/abi/negotiate.hpp"
#include "sdk/codegen/plugin/abi/options.hpp"

namespace byoc::plugin {

// Receivers of a plug-in's log lines and progress; any may be empty.
struct Services {
  std::function<void(std::string_view id, std::string_view line)> log;
  std::function<void(std::string_view id, std::uint64_t done, std::uint64_t total, std::string_view what)> progress;
  std::function<bool()> cancelled;
};

// Creates a codegen of the plug-in for one export. Messages of the plug-in while it is created and asked for verdicts
// go to `diags`, which must outlive the codegen; messages in compile() go to the host of that call. Errors: options
// that do not fit, a plug-in that fails to create.
[[nodiscard]] Result<std::unique_ptr<codegen::Codegen>> create_codegen(const Plugin& plugin, const TargetSpec& target,
                                                                       const OptionTexts& options,
                                                                       const Services& services, Diagnostics& diags);

}  // namespace byoc::plugin
