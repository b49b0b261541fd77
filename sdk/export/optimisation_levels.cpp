#include "sdk/export/optimisation_levels.hpp"

namespace byoc {
namespace {

// Kernels are where the time goes, and are blocked by hand, so that -O3 brings a few percent for a fifth more code.
std::string level_for(Objective objective) {
  switch (objective) {
    case Objective::speed: return "3";
    case Objective::size: return "s";
    case Objective::balanced: return "2";
  }
  return "2";
}

}  // namespace

OptimisationLevels optimisation_levels(Objective objective, const std::string& opt_level,
                                       const std::string& toolchain) {
  // Assembly in kernels has more operands than there are registers where nothing is optimised.
  if (opt_level == "0") return {"1", "1", "0"};
  if (!opt_level.empty()) return {opt_level, opt_level, opt_level};
  const std::string hot = level_for(objective);
  // Balanced spends code only where the time goes. GCC's code is small as it is.
  const bool spare = objective == Objective::balanced && toolchain == "clang";
  return {hot, spare ? level_for(Objective::size) : hot, "s"};
}

const std::string& level_of(const OptimisationLevels& levels, codegen::Effort stated, codegen::Effort usual) {
  switch (stated == codegen::Effort::usual ? usual : stated) {
    case codegen::Effort::usual:
    case codegen::Effort::hot: return levels.hot;
    case codegen::Effort::light: return levels.light;
    case codegen::Effort::glue: return levels.glue;
  }
  return levels.hot;
}

std::map<std::string, std::string> kernel_levels(const OptimisationLevels& levels,
                                                 const plugin::Compilation& compilation) {
  std::map<std::string, std::string> out;
  for (const plugin::SourceArtifact& s : compilation.sources)
    if (s.decl.shared) out[s.decl.symbol] = level_of(levels, s.decl.effort, codegen::Effort::hot);
  for (const plugin::OtherArtifact& a : compilation.others)
    if (a.decl.shared) out[a.decl.symbol] = level_of(levels, a.decl.effort, codegen::Effort::hot);
  return out;
}

}  // namespace byoc
