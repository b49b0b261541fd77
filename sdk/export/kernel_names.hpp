// Shared kernels are named after everything that makes them what they are, so that two models in one firmware share
// those that are the same and never clash over those that are not.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "sdk/codegen/codegen/compilation.hpp"
#include "sdk/export/shared_modules.hpp"
#include "sdk/library/compile/compiler.hpp"

namespace byoc {

// The name of each shared symbol in the export: <symbol>_<hash of source or module, headers, shared kernels it names,
// and the text of `toolchain` for it>.
[[nodiscard]] std::map<std::string, std::string> name_kernels(
    const plugin::Compilation& compilation, const ModuleSymbols& symbols,
    const std::function<std::string(const std::string& symbol)>& toolchain);

// Everything in a target and its compiler that can change the bytes of an object, at an optimisation level.
[[nodiscard]] std::string toolchain_fingerprint(const TargetSpec&, const Compiler&, const std::string& level);

// The text of a shared source with the names it uses defined in front.
[[nodiscard]] std::string rename_kernels(const std::string& text, const std::map<std::string, std::string>& names);

}  // namespace byoc
