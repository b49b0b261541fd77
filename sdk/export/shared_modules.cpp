#include "sdk/export/shared_modules.hpp"

#include <optional>
#include <set>

namespace byoc {
namespace {

std::string listed(const std::set<std::string>& symbols) {
  std::string out;
  for (const std::string& s : symbols) out += (out.empty() ? "'" : ", '") + s + "'";
  return out.empty() ? "none" : out;
}

// The codegens that have handed over shared kernels.
std::set<std::string> sharing_codegens(const plugin::Compilation& compilation) {
  std::set<std::string> out;
  for (const plugin::SourceArtifact& s : compilation.sources)
    if (s.decl.shared) out.insert(s.codegen);
  for (const plugin::OtherArtifact& a : compilation.others)
    if (a.decl.shared) out.insert(a.codegen);
  return out;
}

// A fork of a process that has the weights of a model costs more than what is to be read.
std::optional<WorkerLimits> limits_of(const plugin::OtherArtifact& a, const std::set<std::string>& built_in,
                                      const WorkerLimits& limits) {
  return built_in.contains(a.codegen) ? std::nullopt : std::optional(limits);
}

}  // namespace

Result<ModuleSymbols> read_module_symbols(const plugin::Compilation& compilation, const std::set<std::string>& built_in,
                                          const WorkerLimits& limits, Diagnostics& diags) {
  ModuleSymbols out;
  const std::set<std::string> sharing = sharing_codegens(compilation);
  for (std::size_t i = 0; i < compilation.others.size(); ++i) {
    const plugin::OtherArtifact& a = compilation.others[i];
    if (a.decl.kind != codegen::ArtifactKind::llvm_bitcode || !sharing.contains(a.codegen)) continue;
    const Diagnostics::Origin origin(diags, a.codegen);
    auto symbols = read_llvm_symbols(a.decl.name, a.bytes, limits_of(a, built_in, limits), diags);
    if (!symbols) return failure;
    if (a.decl.shared && symbols->defined != std::set<std::string>{a.decl.symbol})
      return diags.error(a.decl.name, a.decl.symbol, "a shared LLVM module has one external definition, its symbol",
                         listed(symbols->defined), "'" + a.decl.symbol + "'");
    out[i] = std::move(*symbols);
  }
  return out;
}

Result<std::map<std::size_t, Blob>> rename_in_modules(const plugin::Compilation& compilation,
                                                      const ModuleSymbols& symbols,
                                                      const std::map<std::string, std::string>& kernel_names,
                                                      const std::set<std::string>& built_in, const WorkerLimits& limits,
                                                      Diagnostics& diags) {
  std::map<std::size_t, Blob> out;
  for (const auto& [index, of_module] : symbols) {
    std::map<std::string, std::string> names;
    for (const auto& [symbol, name] : kernel_names)
      if (of_module.used.contains(symbol) || of_module.defined.contains(symbol)) names.emplace(symbol, name);
    if (names.empty()) continue;
    const plugin::OtherArtifact& a = compilation.others[index];
    const Diagnostics::Origin origin(diags, a.codegen);
    auto renamed = rename_llvm_symbols(a.decl.name, a.bytes, names, limits_of(a, built_in, limits), diags);
    if (!renamed) return failure;
    out[index] = Blob::own(std::move(*renamed));
  }
  return out;
}

}  // namespace byoc
