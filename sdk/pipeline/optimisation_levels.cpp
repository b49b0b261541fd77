#include "sdk/pipeline/optimisation_levels.hpp"

#include <algorithm>
#include <array>

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

// Pools and normalisations: with -O2 their kernels are half as large again.
bool is_light(const ir::Node& node) {
  constexpr std::array kOperators{"AveragePool",   "GlobalAveragePool", "MaxPool",
                                  "GlobalMaxPool", "Softmax",           "LogSoftmax"};
  return std::any_of(kOperators.begin(), kOperators.end(), [&](const char* op) { return node.is("", op); });
}

struct Users {
  std::size_t light = 0, heavy = 0;
};

void count_users(const ir::Graph& graph, const plugin::GraphPart& part, std::map<std::string, Users>& out) {
  for (const plugin::Step& s : part.steps) {
    const bool light =
        std::all_of(s.nodes.begin(), s.nodes.end(), [&](ir::NodeId n) { return is_light(graph.nodes[n]); });
    Users& users = out[s.decl.kernel];
    ++(light ? users.light : users.heavy);
  }
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

std::map<std::string, std::string> kernel_levels(const OptimisationLevels& levels, const ir::Graph& graph,
                                                 const plugin::Compilation& compilation) {
  std::map<std::string, Users> users;
  count_users(graph, compilation, users);
  for (const auto& [body, part] : compilation.bodies) count_users(*body, part, users);
  std::map<std::string, std::string> out;
  for (const plugin::SourceArtifact& s : compilation.sources) {
    if (!s.decl.shared) continue;
    const Users of = users[s.decl.symbol];
    out[s.decl.symbol] = of.light != 0 && of.heavy == 0 ? levels.light : levels.hot;
  }
  return out;
}

}  // namespace byoc
