#include "sdk/library/pack/system_library.hpp"

#include <algorithm>
#include <array>

#include "sdk/base/support/name_table.hpp"
#include "sdk/base/support/valid_text.hpp"
#include "sdk/library/compile/compiler.hpp"
#include "sdk/library/pack/templates.hpp"
#include "sdk/target/module/tied_name.hpp"

namespace byoc {
namespace {

constexpr std::array kModelFunctions{"_run", "_init", "_reset", "_deinit", "_set_devices"};

// For a model: the functions that every model has, and those that its root promises.
bool is_public(const Package& package, const std::string& symbol) {
  if (package.prefix.empty()) return true;
  const std::vector<Symbol>& promised = package.tree.modules.front().symbols;
  return std::any_of(kModelFunctions.begin(), kModelFunctions.end(),
                     [&](const char* f) { return symbol == package.prefix + f; }) ||
         std::find(promised.begin(), promised.end(), Symbol{symbol}) != promised.end();
}

// The module of the tree from which a symbol that `m` defines came.
std::size_t module_of(const std::string& symbol, const LibraryMember& m) {
  if (!m.linked) return m.module;
  const auto from = m.linked->find(symbol);
  return from == m.linked->end() ? m.module : from->second;
}

std::vector<std::string> all_functions(std::span<const Package> packages) {
  std::vector<std::string> out;
  for (const Package& p : packages)
    for (const auto& of_module : public_functions(p).of_module)
      out.insert(out.end(), of_module.begin(), of_module.end());
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());  // two definitions of one are the archive's to refuse
  return out;
}

}  // namespace

PublicFunctions public_functions(const Package& package) {
  PublicFunctions out;
  out.of_module.resize(package.tree.modules.size());
  for (const LibraryMember& m : package.members) {
    if (m.facts == nullptr) continue;
    for (const ObjectSymbol& s : m.facts->defined) {
      if (!s.function || s.hidden) continue;
      if (!package.prefix.empty() && is_tied_name(s.name)) {
        if (is_public(package, untied_name(s.name))) out.tied.push_back(s.name);
      } else if (is_public(package, s.name)) {
        out.of_module[module_of(s.name, m)].push_back(s.name);
      }
    }
  }
  return out;
}

Result<void> check_system_library(const std::string& name, std::span<const std::string> prefixes, Diagnostics& diags) {
  if (to_identifier(name) != name)
    return diags.error({}, "--system-library", "not a C identifier", "'" + name + "'",
                       "something like '" + to_identifier(name) + "'");
  if (std::find(prefixes.begin(), prefixes.end(), name) != prefixes.end())
    return diags.error({}, "--system-library", "is the name of a model in it", name);
  return {};
}

Result<SystemLibrary> make_system_library(const std::string& name, std::span<const Package> packages,
                                          Diagnostics& diags) {
  std::vector<std::string> prefixes;
  for (const Package& p : packages) prefixes.push_back(p.prefix);
  if (!check_system_library(name, prefixes, diags)) return failure;
  const std::vector<std::string> functions = all_functions(packages);
  if (functions.empty()) return diags.error({}, name, "the library has no function that others see");
  std::string prototypes, entries;
  for (const std::string& f : functions) {
    // Symbols that are no identifiers of C have no prototype there; C++ mangles to identifiers.
    if (!is_identifier(f)) return diags.error({}, f, "a function cannot be named in C");
    prototypes += "extern void " + f + "(void);\n";
    entries += "    {\"" + f + "\", " + f + "},\n";
  }
  const TargetSpec& target = packages.front().target;
  const std::map<std::string, std::string> fields{{"NAME", name},
                                                  {"GUARD", "BYOC_" + upper_case(name) + "_H"},
                                                  {"COUNT", std::to_string(functions.size())},
                                                  {"TARGET", target.name},
                                                  {"VERSION", BYOC_VERSION},
                                                  {"PROTOTYPES", prototypes},
                                                  {"ENTRIES", entries}};
  SystemLibrary out;
  out.header = fill_template(pack_templates(), "system_library.h.in", fields);
  // The prototypes are not those of the functions, and may be those of functions that compilers know.
  const CompileOptions how{.warnings = false};
  auto compiler = Compiler::create(target, {}, how, diags);
  if (!compiler) return failure;
  const Source source{name, fill_template(pack_templates(), "system_library.c.in", fields), "s"};
  auto object = (*compiler)->compile(source, {{name + ".h", out.header}}, diags);
  if (!object) return failure;
  out.object = std::move(*object);
  return out;
}

}  // namespace byoc
