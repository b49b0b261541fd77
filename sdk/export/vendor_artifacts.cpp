#include "sdk/export/vendor_artifacts.hpp"

#include <algorithm>
#include <optional>

#include "sdk/base/support/repeats.hpp"
#include "sdk/library/object/object_facts.hpp"
#include "sdk/program/plan/control.hpp"

namespace byoc {
namespace {

struct Form {
  ModuleKind kind;
  const char* suffix;
};

std::optional<Form> form_of(codegen::ArtifactKind kind) {
  switch (kind) {
    case codegen::ArtifactKind::object: return Form{ModuleKind::object, ".o"};
    case codegen::ArtifactKind::llvm_bitcode: return Form{ModuleKind::llvm, ".bc"};
    case codegen::ArtifactKind::static_library: return Form{ModuleKind::static_library, ".a"};
    case codegen::ArtifactKind::link_library:
    case codegen::ArtifactKind::licence: return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

bool is_module(const plugin::OtherArtifact& a) { return form_of(a.decl.kind).has_value(); }

Module vendor_module(const plugin::OtherArtifact& a, const std::string& opt_level) {
  const Form form = *form_of(a.decl.kind);
  Module m{.content = content_of(form.kind), .name = a.decl.name};
  m.origin = a.decl.name + form.suffix;
  m.bytes = Blob::own(a.bytes);
  m.codegen = a.codegen;
  if (m.compiled() != nullptr) m.compiled()->opt_level = opt_level;
  for (const std::string& symbol : a.decl.defines) m.symbols.push_back({symbol});
  return m;
}

VendorArtifacts take_artifacts(const plugin::Compilation& compilation) {
  VendorArtifacts out;
  for (const plugin::OtherArtifact& a : compilation.others) {
    if (a.decl.kind == codegen::ArtifactKind::licence)
      out.licences.push_back(
          {a.codegen, a.decl.name, std::string(reinterpret_cast<const char*>(a.bytes.data()), a.bytes.size())});
    auto& libraries = out.link_libraries;
    if (a.decl.kind == codegen::ArtifactKind::link_library &&
        std::find(libraries.begin(), libraries.end(), a.decl.name) == libraries.end())
      libraries.push_back(a.decl.name);
  }
  return out;
}

std::set<std::string> defined_symbols(const std::vector<LibraryMember>& members) {
  std::set<std::string> defined;
  for (const LibraryMember& m : members) {
    if (m.facts == nullptr) continue;
    for (const ObjectSymbol& s : m.facts->defined) defined.insert(s.name);
    if (m.linked)
      for (const auto& [symbol, from] : *m.linked) defined.insert(symbol);
  }
  return defined;
}

Result<void> check_clashes(const ModuleTree& tree, const std::vector<LibraryMember>& members,
                           const std::set<std::string>& built_in, Diagnostics& diags) {
  Repeats clashes;
  std::map<std::string, const LibraryMember*> seen;
  const auto vendor = [&](const LibraryMember& m) {
    const std::string& codegen = tree.modules[m.module].codegen;
    return built_in.contains(codegen) ? std::string() : codegen;
  };
  for (const LibraryMember& m : members) {
    if (m.facts == nullptr) continue;
    for (const ObjectSymbol& s : m.facts->defined) {
      if (s.weak) continue;
      const auto [at, fresh] = seen.emplace(s.name, &m);
      if (fresh) continue;
      const std::string guilty = vendor(m).empty() ? vendor(*at->second) : vendor(m);
      if (!guilty.empty())
        clashes.error_of(guilty, {}, s.name, "defines what is defined already", at->second->name + " and " + m.name,
                         "one definition");
    }
  }
  clashes.tell(diags);
  return clashes.has_errors() ? failure : Result<void>();
}

Result<void> check_definitions(const ir::Graph& graph, const plugin::Compilation& compilation,
                               const std::vector<LibraryMember>& members, Diagnostics& diags) {
  const std::set<std::string> defined = defined_symbols(members);
  Repeats missing;
  const auto need = [&](const std::string& symbol, const std::string& codegen, const char* what) {
    if (symbol.empty() || defined.contains(symbol)) return;
    missing.error_of(codegen, {}, symbol,
                     std::string("declared this ") + what + ", and none of its artifacts defines it");
  };
  plan::for_each_graph(graph, [&](const ir::Graph& g) {
    for (const plugin::Step& s : plan::part_of(compilation, g, graph).steps)
      if (s.control == ir::kNoNode) need(s.decl.symbol, s.codegen, "step");
  });
  for (const plugin::InstanceArtifact& i : compilation.instances)
    for (const std::string* symbol : {&i.decl.init, &i.decl.reset, &i.decl.deinit})
      need(*symbol, i.codegen, "function of its instance");
  missing.tell(diags);
  return missing.has_errors() ? failure : Result<void>();
}

}  // namespace byoc
