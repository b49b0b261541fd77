// The graph as drawn, and what is known of each node.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "byoc/interface.hpp"
#include "sdk/base/page/page.hpp"
#include "sdk/codegen/partition/partition.hpp"
#include "sdk/codegen/partition/report.hpp"

namespace byoc {

// The subject of a report. `model`: null if nothing was compiled.
struct Reported {
  const ir::Graph& graph;
  std::span<codegen::Codegen* const> codegens;
  const Partition& partition;
  const ModelInterface* model = nullptr;
  std::span<const FunctionCode> code = {};
};

// "takes it, within 1 LSB", "could take it", or why not.
[[nodiscard]] std::string verdict_text(const NodePlacement& placed, std::size_t codegen);

// The steps that a node is part of, by its description.
using StepsOf = std::map<std::string, std::vector<const StepInfo*>>;
[[nodiscard]] StepsOf steps_by_node(const ModelInterface* model);

// A drawing of the graph, or of a body in it, whose nodes are numbered from `first` on; "" where it has too many.
[[nodiscard]] std::string draw_placement(const Reported& told, const ir::Graph& graph,
                                         const std::vector<NodePlacement>& placed, std::size_t first);
// The details of the boxes: node k has the id "n<first + k>".
[[nodiscard]] std::vector<page::Detail> placement_details(const Reported& told, const ir::Graph& graph,
                                                          const std::vector<NodePlacement>& placed, std::size_t first);
// The code of the steps, function k with the id "f<k>".
[[nodiscard]] std::vector<page::Code> step_code(const Reported& told);
// The colours of the codegens.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> codegen_legend(const Reported& told);

}  // namespace byoc
