#include "sdk/pipeline/vendor_artifacts.hpp"

#include <algorithm>

#include "sdk/object/object_facts.hpp"
#include "sdk/plan/control.hpp"

namespace byoc {
namespace {

class Taker {
 public:
  explicit Taker(const std::string& opt_level) : opt_level_(opt_level) {}

  VendorArtifacts run(const plugin::Compilation& compilation) {
    for (const plugin::OtherArtifact& a : compilation.others) take(a);
    return std::move(out_);
  }

 private:
  void take(const plugin::OtherArtifact& a) {
    switch (a.decl.kind) {
      case codegen::ArtifactKind::object: return add(a, ModuleKind::object, ".o");
      case codegen::ArtifactKind::llvm_bitcode: return add(a, ModuleKind::llvm, ".bc");
      case codegen::ArtifactKind::static_library: return add(a, ModuleKind::static_library, ".a");
      case codegen::ArtifactKind::link_library:
        if (std::find(out_.link_libraries.begin(), out_.link_libraries.end(), a.decl.name) == out_.link_libraries.end())
          out_.link_libraries.push_back(a.decl.name);
        return;
      case codegen::ArtifactKind::licence:
        out_.licences.push_back(
            {a.codegen, a.decl.name, std::string(reinterpret_cast<const char*>(a.bytes.data()), a.bytes.size())});
        return;
    }
  }

  void add(const plugin::OtherArtifact& a, ModuleKind kind, const char* suffix) {
    Module m{.kind = kind, .name = a.decl.name};
    m.origin = a.decl.name + suffix + " of codegen '" + a.codegen + "'";
    m.bytes = Blob::own(a.bytes);
    m.codegen = a.codegen;
    m.opt_level = opt_level_;
    for (const std::string& symbol : a.decl.defines) m.symbols.push_back({symbol});
    out_.modules.push_back(std::move(m));
  }

  const std::string& opt_level_;
  VendorArtifacts out_;
};

}  // namespace

VendorArtifacts take_artifacts(const plugin::Compilation& compilation, const std::string& opt_level) {
  return Taker(opt_level).run(compilation);
}

Result<std::set<std::string>> defined_symbols(const std::vector<LibraryMember>& members, Diagnostics& diags) {
  std::set<std::string> defined;
  for (const LibraryMember& m : members) {
    if (m.object.empty()) continue;
    auto facts = read_object_facts(m.object, m.name, diags);
    if (!facts) return failure;
    for (const ObjectSymbol& s : facts->defined) defined.insert(s.name);
    if (m.linked)
      for (const auto& [symbol, from] : *m.linked) defined.insert(symbol);
  }
  return defined;
}

Result<void> check_definitions(const ir::Graph& graph, const plugin::Compilation& compilation,
                               const std::vector<LibraryMember>& members, Diagnostics& diags) {
  const auto defined = defined_symbols(members, diags);
  if (!defined) return failure;
  bool ok = true;
  const auto need = [&](const std::string& symbol, const std::string& codegen, const char* what) {
    if (symbol.empty() || defined->contains(symbol)) return;
    ok = false;
    diags.error({}, symbol,
                "codegen '" + codegen + "' declared this " + what + ", and none of its artifacts defines it");
  };
  plan::for_each_graph(graph, [&](const ir::Graph& g) {
    for (const plugin::Step& s : plan::part_of(compilation, g, graph).steps)
      if (s.control == ir::kNoNode) need(s.decl.symbol, s.codegen, "step");
  });
  for (const plugin::InstanceArtifact& i : compilation.instances)
    for (const std::string* symbol : {&i.decl.init, &i.decl.reset, &i.decl.deinit})
      need(*symbol, i.codegen, "function of its instance");
  return ok ? Result<void>() : failure;
}

}  // namespace byoc
