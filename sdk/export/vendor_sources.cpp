#include "sdk/export/vendor_sources.hpp"

#include <algorithm>
#include <set>

#include "sdk/export/generate.hpp"
#include "sdk/export/vendor_artifacts.hpp"

namespace byoc {
namespace {

// The widest floating-point operand of a codegen's steps, in bits; 0 if there is none.
class FloatOperands {
 public:
  FloatOperands(const ir::Graph& graph, const plugin::Compilation& compilation) {
    add(graph, compilation);
    for (const auto& [body, part] : compilation.bodies) add(*body, part);
  }
  [[nodiscard]] unsigned of(const std::string& codegen) const {
    const auto found = widest_.find(codegen);
    return found == widest_.end() ? 0 : found->second;
  }

 private:
  void add(const ir::Graph& graph, const plugin::GraphPart& part) {
    for (const plugin::Step& s : part.steps)
      for (const auto* operands : {&s.inputs, &s.outputs})
        for (const plugin::StepOperand& o : *operands) {
          if (o.value == ir::kNoValue) continue;
          const DType type = graph.values[o.value].type.dtype;
          const bool floating = type == DType::f16 || type == DType::bf16 || type == DType::f32 || type == DType::f64;
          if (floating) widest_[s.codegen] = std::max(widest_[s.codegen], bit_width(type));
        }
  }
  std::map<std::string, unsigned> widest_;
};

}  // namespace

std::map<std::string, compile::SourceRules> source_rules(const ir::Graph& graph, const plugin::Compilation& compilation,
                                                         const Job& job,
                                                         const std::map<std::string, std::string>& prototypes) {
  std::map<std::string, compile::SourceRules> out;
  const FloatOperands operands(graph, compilation);
  const std::set<std::string> built_in = built_in_codegens(job.codegens);
  for (const plugin::SourceArtifact& s : compilation.sources) {
    if (built_in.contains(s.codegen) || out.contains(s.codegen)) continue;
    compile::SourceRules& rules = out[s.codegen];
    rules.prototypes = prototypes;
    rules.target = job.target.name;
    rules.no_float = !job.target.has("fp.sp") && operands.of(s.codegen) == 0;
    rules.no_double = !job.target.has("fp.dp") && operands.of(s.codegen) < 64;
  }
  return out;
}

Result<void> report_findings(const std::vector<VendorFindings>& all, const plugin::Compilation& compilation,
                             const std::vector<LibraryMember>& members, CheckSources level, Diagnostics& diags) {
  std::set<std::string> defined = defined_symbols(members);
  std::set<std::string> linking;
  for (const plugin::OtherArtifact& a : compilation.others)
    if (a.decl.kind == codegen::ArtifactKind::link_library) linking.insert(a.codegen);
  for (const LibraryMember& m : members)
    for (const ConstantArtifact& c : m.constants) defined.insert(c.symbol);
  bool ok = true;
  for (const VendorFindings& of_source : all)
    for (const compile::SourceFinding& f : of_source.findings) {
      const bool elsewhere = defined.contains(f.symbol) || (f.in_header && linking.contains(of_source.codegen));
      if (f.kind == compile::SourceFinding::Kind::external && elsewhere) continue;
      ok = ok && level != CheckSources::error;
      diags.add({level == CheckSources::error ? Level::error : Level::warning, f.place, f.symbol, f.message, f.found,
                 f.expected, of_source.codegen});
    }
  return ok ? Result<void>() : failure;
}

}  // namespace byoc
