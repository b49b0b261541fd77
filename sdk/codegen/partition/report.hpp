// The report of a partition: every node, who takes it, who else offered, who refused it and why.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "byoc/interface.hpp"
#include "sdk/codegen/partition/partition.hpp"

namespace byoc {

struct Coverage {
  std::size_t nodes = 0;
  std::size_t all_nodes = 0;
  std::uint64_t macs = 0;
  std::uint64_t all_macs = 0;
  std::size_t regions = 0;
  // Shares in percent. All nodes of none is 100; of multiply-accumulates that are not there nobody has any.
  [[nodiscard]] double node_share() const { return all_nodes == 0 ? 100.0 : 100.0 * double(nodes) / double(all_nodes); }
  [[nodiscard]] double mac_share() const { return all_macs == 0 ? 0.0 : 100.0 * double(macs) / double(all_macs); }
};

// The coverage of each codegen, in their order.
[[nodiscard]] std::vector<Coverage> coverage_of(const ir::Graph& graph, const Partition& partition,
                                                std::size_t codegens);

// A function of the library: of a step, or a kernel that steps share.
struct FunctionCode {
  std::string name;                // "byoc_conv_s8_dsp"
  std::string c, assembly;         // "" where it is not there in this form
  std::vector<std::string> steps;  // symbols of those that it is for
};

// JSON, format 1; docs/formats.md describes it. Deterministic. `rewrites` are those that are made inside the regions.
// `model`: what became of it, with the kernel of each step and what it costs; null where nothing was compiled.
[[nodiscard]] std::string partition_json(const ir::Graph& graph, std::span<codegen::Codegen* const> codegens,
                                         const TargetSpec& target, const Partition& partition,
                                         std::span<const RewriteSummary> rewrites = {},
                                         const ModelInterface* model = nullptr);
// A page for people: summary, the graph with what is known of each node and with the code of its steps, memory over
// time, and the tables.
[[nodiscard]] std::string partition_html(const ir::Graph& graph, std::span<codegen::Codegen* const> codegens,
                                         const TargetSpec& target, const Partition& partition,
                                         std::span<const RewriteSummary> rewrites = {},
                                         const ModelInterface* model = nullptr,
                                         std::span<const FunctionCode> code = {});
// The drawing of the graph alone, as SVG; "" where it has more nodes than anybody could look at.
[[nodiscard]] std::string partition_svg(const ir::Graph& graph, std::span<codegen::Codegen* const> codegens,
                                        const Partition& partition, const ModelInterface* model = nullptr);

}  // namespace byoc
