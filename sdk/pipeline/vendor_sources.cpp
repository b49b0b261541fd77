#include "sdk/pipeline/vendor_sources.hpp"

#include <algorithm>
#include <set>

#include "sdk/pipeline/generate.hpp"
#include "sdk/pipeline/vendor_artifacts.hpp"

namespace byoc {
namespace {

// "int32_t f(const float *in0, float *out0);" -> {"f", ...}, of every line that is one.
std::map<std::string, std::string> prototypes_in(const std::string& header) {
  constexpr std::string_view kResult = "int32_t ";
  std::map<std::string, std::string> out;
  for (std::size_t at = 0; at < header.size();) {
    const std::size_t end = std::min(header.find('\n', at), header.size());
    const std::string line = header.substr(at, end - at);
    at = end + 1;
    const std::size_t open = line.find('(');
    if (!line.starts_with(kResult) || !line.ends_with(");") || open == std::string::npos) continue;
    out[line.substr(kResult.size(), open - kResult.size())] = line.substr(0, line.size() - 1);
  }
  return out;
}

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
                                                         const ExportOptions& options,
                                                         const std::string& internal_header) {
  std::map<std::string, compile::SourceRules> out;
  const FloatOperands operands(graph, compilation);
  const std::set<std::string> built_in = built_in_codegens(options.codegens);
  for (const plugin::SourceArtifact& s : compilation.sources) {
    if (built_in.contains(s.codegen) || out.contains(s.codegen)) continue;
    compile::SourceRules& rules = out[s.codegen];
    rules.prototypes = prototypes_in(internal_header);
    rules.target = options.target.name;
    rules.no_float = !options.target.has("fp.sp") && operands.of(s.codegen) == 0;
    rules.no_double = !options.target.has("fp.dp") && operands.of(s.codegen) < 64;
  }
  return out;
}

Result<void> report_findings(const std::vector<VendorFindings>& all, const plugin::Compilation& compilation,
                             const std::vector<LibraryMember>& members, CheckSources level, Diagnostics& diags) {
  auto defined = defined_symbols(members, diags);
  if (!defined) return failure;
  std::set<std::string> linking;
  for (const plugin::OtherArtifact& a : compilation.others)
    if (a.decl.kind == codegen::ArtifactKind::link_library) linking.insert(a.codegen);
  for (const LibraryMember& m : members)
    for (const ConstantArtifact& c : m.constants) defined->insert(c.symbol);
  bool ok = true;
  for (const VendorFindings& of_source : all)
    for (const compile::SourceFinding& f : of_source.findings) {
      const bool elsewhere = defined->contains(f.symbol) || (f.in_header && linking.contains(of_source.codegen));
      if (f.kind == compile::SourceFinding::Kind::external && elsewhere) continue;
      ok = ok && level != CheckSources::error;
      diags.add({level == CheckSources::error ? Level::error : Level::warning, f.place, f.symbol,
                 "codegen '" + of_source.codegen + "': " + f.message, f.found, f.expected});
    }
  return ok ? Result<void>() : failure;
}

}  // namespace byoc
