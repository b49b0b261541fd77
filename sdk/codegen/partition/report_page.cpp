// The report for people.
#include <algorithm>

#include "sdk/base/page/drawing.hpp"
#include "sdk/base/page/page.hpp"
#include "sdk/base/page/text.hpp"
#include "sdk/codegen/partition/borders.hpp"
#include "sdk/codegen/partition/report.hpp"
#include "sdk/codegen/partition/report_drawing.hpp"
#include "sdk/codegen/partition/report_parts.hpp"
#include "sdk/model/ir/kind.hpp"

namespace byoc {
namespace {

using page::Cell;
using page::Figure;
using page::number_cell;
using page::text_cell;

std::uint64_t pool_size(const TargetSpec& target, PoolKind kind) {
  for (const MemoryPool& p : target.pools)
    if (p.kind == kind) return p.size;
  return 0;
}

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

struct Costs {
  std::uint64_t instructions = 0, macs = 0, constants = 0, code = 0, ram = 0;
};

Costs costs_of(const ModelInterface& model) {
  Costs out;
  for (const StepInfo& s : model.steps) {
    out.instructions += s.estimated_instructions;
    out.macs += s.macs;
    out.constants += s.constant_bytes;
  }
  for (const auto& [name, k] : shared_kernels(model)) out.code += k.bytes;
  out.ram = model.all_workspace_bytes() + model.instance_bytes;
  for (const auto* list : {&model.inputs, &model.outputs})
    for (const IoTensor& t : *list) out.ram += t.bytes;
  return out;
}

Figure memory_figure(const std::string& label, std::uint64_t bytes, const std::string& note, std::uint64_t size) {
  Figure out{label, page::bytes_text(bytes), note};
  if (size == 0) return out;
  out.share = static_cast<double>(bytes) / static_cast<double>(size);
  out.note += ", " + page::percent(100 * out.share) + " % of " + page::bytes_text(size);
  return out;
}

std::vector<Figure> figures(const Reported& told, const TargetSpec& target, std::span<const Coverage> coverage) {
  std::vector<Figure> out;
  if (told.model != nullptr) {
    const Costs costs = costs_of(*told.model);
    out.push_back(memory_figure("flash", costs.constants + costs.code,
                                page::bytes_text(costs.constants) + " of constants, code estimated",
                                pool_size(target, PoolKind::flash)));
    out.push_back(memory_figure("RAM", costs.ram,
                                page::bytes_text(told.model->all_workspace_bytes()) + " of workspace, inputs, outputs",
                                pool_size(target, PoolKind::ram)));
    if (costs.instructions != 0)
      out.push_back({"instructions", page::spaced(costs.instructions), "of one run, estimated"});
    out.push_back({"steps", std::to_string(told.model->steps.size()), page::spaced(costs.macs) + " MACs"});
  }
  for (std::size_t c = 0; c < coverage.size(); ++c)
    out.push_back({std::string(told.codegens[c]->id()), std::to_string(coverage[c].nodes) + " nodes",
                   (coverage[c].all_macs == 0 ? "" : page::percent(coverage[c].mac_share()) + " % of MACs, ") +
                       page::percent(coverage[c].node_share()) + " % of nodes, " + std::to_string(coverage[c].regions) +
                       (coverage[c].regions == 1 ? " region" : " regions"),
                   coverage[c].node_share() / 100});
  return out;
}

void warn_of_memory(const ModelInterface& model, const TargetSpec& target, std::vector<page::Warning>& out) {
  const Costs costs = costs_of(model);
  const std::uint64_t ram = pool_size(target, PoolKind::ram), flash = pool_size(target, PoolKind::flash);
  if (ram != 0 && costs.ram > ram)
    out.push_back({"The target's RAM is smaller than the model needs.",
                   "--max-ram computes layers together, --reuse-inputs lets a run overwrite its inputs."});
  if (flash != 0 && costs.constants + costs.code > flash)
    out.push_back({"The target's flash is smaller than the model needs.",
                   "--optimize size takes smaller kernels; weights of fewer bits are smaller still."});
}

// The step that most of the time goes to, if there is one.
void warn_of_time(const ModelInterface& model, std::vector<page::Warning>& out) {
  constexpr std::uint64_t kMany = 5;  // steps: of fewer one is always most of it
  const std::uint64_t all = costs_of(model).instructions;
  for (const StepInfo& s : model.steps)
    if (model.steps.size() >= kMany && s.estimated_instructions > all / 2)
      out.push_back({"More than half of the instructions are of one step, " +
                         page::short_node(s.nodes.empty() ? s.symbol : s.nodes.front(), 60) + ".",
                     "Its kernel is " + s.kernel + (s.remark.empty() ? "." : ": " + s.remark + ".")});
}

// "kws for cortex-m4f: 39.0 KiB flash, 8.7 KiB RAM, 3 840 251 instructions, estimated"
std::string headline(const ModelInterface& model, const std::string& subject) {
  const Costs costs = costs_of(model);
  return subject + ": " + page::bytes_text(costs.constants + costs.code) + " flash, " + page::bytes_text(costs.ram) +
         " RAM" + (costs.instructions == 0 ? "" : ", " + page::spaced(costs.instructions) + " instructions") +
         ", estimated";
}

// The steps that most of the time goes to, where anything is estimated.
std::string hottest(const ModelInterface& model) {
  std::vector<page::Part> parts;
  for (const StepInfo& s : model.steps)
    parts.push_back({page::short_node(s.nodes.empty() ? s.symbol : s.nodes.front(), 40), s.estimated_instructions});
  const std::string largest = page::largest_parts(std::move(parts));
  return largest.empty() ? "" : "Hottest layers: " + largest + " of the instructions.";
}

std::vector<page::Warning> warnings(const Reported& told, const TargetSpec& target,
                                    std::span<const Coverage> coverage) {
  std::vector<page::Warning> out;
  if (told.model != nullptr) {
    warn_of_memory(*told.model, target, out);
    warn_of_time(*told.model, out);
  }
  for (std::size_t c = 0; c < coverage.size(); ++c)
    if (coverage[c].nodes == 0 && coverage[c].all_nodes != 0 && told.codegens[c]->role() != codegen::Role::reference)
      out.push_back({"Codegen " + std::string(told.codegens[c]->id()) + " takes nothing.",
                     "The table of nodes says why; --prefer and --pin send nodes to it."});
  if (!told.partition.literal.empty())
    out.push_back({std::to_string(told.partition.literal.size()) + " quantised operators are computed as floats.",
                   "Nobody takes their quantised form; the table of them says why."});
  if (!told.partition.interpreted.empty())
    out.push_back({std::to_string(told.partition.interpreted.size()) + " operators are interpreted.",
                   "Stated dimensions (--dim N=1) let them be compiled where that is all that is missing."});
  return out;
}

void add_graphs(const Reported& told, page::Page& page) {
  std::size_t first = 0;
  const auto colours = codegen_legend(told);
  for_each_placed(told.graph, told.partition.nodes, told.partition,
                  [&](const ir::Graph& g, const std::vector<NodePlacement>& placed) {
                    const std::string heading = &g == &told.graph ? "graph" : "body " + g.name;
                    const std::string svg = draw_placement(told, g, placed, first);
                    if (svg.empty())
                      page.remark(heading, "It has too many nodes for a drawing; the table of nodes has all.");
                    else
                      page.drawing(heading, svg, placement_details(told, g, placed, first), colours,
                                   first == 0 ? step_code(told) : std::vector<page::Code>());
                    first += g.nodes.size();
                  });
}

void add_memory(const ModelInterface& model, page::Page& page) {
  for (std::uint32_t w = 0; w <= model.further_workspaces.size(); ++w) {
    std::vector<page::Span> spans;
    std::vector<std::uint64_t> live(model.steps.size(), 0);
    std::uint64_t peak = 0;
    for (const WorkspaceBuffer& b : model.buffers) {
      if (b.workspace != w || b.bytes == 0) continue;
      spans.push_back({b.name, b.offset, b.bytes, b.first, std::min(b.last, std::uint32_t(live.size() - 1))});
      peak = std::max(peak, b.offset + b.bytes);
    }
    if (spans.empty() || live.empty()) continue;
    for (std::size_t s = 0; w == 0 && s < live.size(); ++s) live[s] = model.steps[s].live_bytes;
    const std::string name = w == 0 ? "workspace" : "workspace in " + model.further_workspaces[w - 1].pool;
    page.drawing(name + " over time", page::draw_memory(spans, live, peak, name));
  }
}

void add_step_table(const ModelInterface& model, page::Page& page) {
  const std::uint64_t instructions = costs_of(model).instructions;
  std::uint64_t constants = 0, live = 0;
  for (const StepInfo& s : model.steps) {
    constants = std::max(constants, s.constant_bytes);
    live = std::max(live, s.live_bytes);
  }
  const std::string codegen = model.steps.empty() ? std::string() : model.steps.front().codegen;
  const bool codegens = std::ranges::any_of(model.steps, [&](const StepInfo& s) { return s.codegen != codegen; });
  page::Table steps{{{"#", true},
                     {"layer"},
                     {"kernel"},
                     {"MACs", true},
                     {"instructions, estimated", true},
                     {"share", true},
                     {"flash of constants", true},
                     {"scratch", true},
                     {"RAM in use", true},
                     {"why this kernel"}},
                    {}};
  for (std::size_t i = 0; i < model.steps.size(); ++i) {
    const StepInfo& s = model.steps[i];
    steps.rows.push_back({page::index_cell(i), page::node_cell(s.nodes.empty() ? s.symbol : s.nodes.front()),
                          page::identifier_cell(s.kernel), number_cell(s.macs), number_cell(s.estimated_instructions),
                          page::share_cell(s.estimated_instructions, instructions),
                          number_cell(s.constant_bytes, constants), number_cell(s.workspace_bytes),
                          number_cell(s.live_bytes, live), page::remark_cell(s.remark)});
    if (codegens) steps.rows.back().insert(steps.rows.back().begin() + 2, text_cell(s.codegen));
  }
  if (codegens) steps.columns.insert(steps.columns.begin() + 2, {"codegen"});
  page.table("steps", steps, codegens || codegen.empty() ? "" : "All are of codegen " + codegen + ".");
  page::Table kernels{{{"kernel"}, {"code, estimated", true}, {"steps", true}}, {}};
  for (const auto& [name, k] : shared_kernels(model))
    kernels.rows.push_back({text_cell(name), number_cell(k.bytes), number_cell(k.steps)});
  page.table("kernels", kernels, "Steps share them.");
}

void add_nodes(const Reported& told, page::Page& page) {
  page::Table nodes{{{"#", true}, {"operator"}, {"name"}, {"region", true}, {"decided by"}}, {}};
  for (const codegen::Codegen* c : told.codegens) nodes.columns.push_back({std::string(c->id())});
  std::size_t number = 0;
  const auto graphs = number_graphs(told.graph, told.partition);
  for_each_placed(told.graph, told.partition.nodes, told.partition,
                  [&](const ir::Graph& g, const std::vector<NodePlacement>& placed) {
                    for (std::size_t n = 0; n < g.nodes.size(); ++n, ++number) {
                      const NodePlacement& p = placed[n];
                      const std::size_t in = graphs.at(&g);
                      Cell index = text_cell((in == 0 ? "" : std::to_string(in) + ".") + std::to_string(n));
                      index.link = "#n" + std::to_string(number);
                      index.order = static_cast<double>(number);
                      Cell region = text_cell(p.codegen == kExecutor ? "" : std::to_string(p.region));
                      region.order = static_cast<double>(p.region);
                      std::vector<Cell> row = {index, text_cell(ir::kind_of(g, g.nodes[n])),
                                               page::name_cell(g.nodes[n].name), region,
                                               text_cell(std::string(to_string(p.decision)))};
                      for (std::size_t c = 0; c < told.codegens.size(); ++c) {
                        row.push_back(text_cell(verdict_text(p, c)));
                        if (p.codegen == c) row.back().kind = "yes";
                      }
                      nodes.rows.push_back(std::move(row));
                    }
                  });
  page.table("nodes", nodes);
}

// Adds tables of the regions' totals and of the values that cross between codegens.
void add_regions(const Reported& told, const TargetSpec& target, page::Page& page) {
  const auto codegen = [&](std::size_t c) { return text_cell(std::string(told.codegens[c]->id())); };
  if (told.model != nullptr) {
    page::Table regions{
        {{"region", true}, {"codegen"}, {"steps", true}, {"flash", true}, {"RAM in use", true}, {"scratch", true}}, {}};
    const std::vector<RegionTotals> totals = region_totals(told.graph, told.partition, *told.model);
    for (std::size_t r = 0; r < totals.size(); ++r)
      regions.rows.push_back({page::index_cell(r), codegen(told.partition.regions[r].codegen),
                              number_cell(totals[r].steps),
                              number_cell(totals[r].constant_bytes + totals[r].kernel_bytes),
                              number_cell(totals[r].ram_bytes), number_cell(totals[r].workspace_bytes)});
    page.table("regions", regions, "Kernels that regions share count in each of them.");
  }
  page::Table borders{
      {{"from"}, {"to"}, {"values", true}, {"bytes", true}, {"lines of the cache", true}, {"cycles, estimated", true}},
      {}};
  for (const Border& b : borders_of(told.graph, told.partition, target))
    borders.rows.push_back({codegen(b.from), codegen(b.to), number_cell(b.values), number_cell(b.bytes),
                            number_cell(b.cache_lines), number_cell(b.cycles.value_or(0))});
  page.table("borders between codegens", borders, "What one makes and another reads, in one run.");
}

void add_rest(const Reported& told, std::span<const RewriteSummary> rewrites, page::Page& page) {
  page::Table made{{{"rewrite"},
                    {"times", true},
                    {"MACs saved", true},
                    {"bytes of weights saved", true},
                    {"bytes of tensors saved", true}},
                   {}};
  for (const RewriteSummary& r : rewrites)
    made.rows.push_back({text_cell(r.name), number_cell(r.count), number_cell(r.macs), number_cell(r.constant_bytes),
                         number_cell(r.tensor_bytes)});
  page.table("rewrites", made, "Made in the regions of the codegens; no bit of the result changes.");
  page::Table literal{{{"operator"}}, {}};
  for (const codegen::Codegen* c : told.codegens) literal.columns.push_back({std::string(c->id()) + ", quantised"});
  for (const LeftLiteral& left : told.partition.literal) {
    literal.rows.push_back({page::node_cell(left.node)});
    for (const std::string& why : left.refusals) literal.rows.back().push_back(text_cell(why));
  }
  page.table("left as the model has them", literal);
  page::Table interpreted{{{"operator"}, {"why"}}, {}};
  for (const InterpretedNode& n : told.partition.interpreted)
    interpreted.rows.push_back({page::node_cell(n.node), text_cell(n.why)});
  page.table("interpreted while the model runs", interpreted);
  page::Table open{{{"operator"}, {"codegen"}}, {}};
  for (const OpenNode& n : told.partition.open) open.rows.push_back({page::node_cell(n.node), text_cell(n.codegen)});
  page.table("compiled for dims that only a run knows", open);
}

}  // namespace

std::string partition_html(const ir::Graph& graph, std::span<codegen::Codegen* const> codegens,
                           const TargetSpec& target, const Partition& partition,
                           std::span<const RewriteSummary> rewrites, const ModelInterface* model,
                           std::span<const FunctionCode> code) {
  const Reported told{graph, codegens, partition, model, code};
  const std::vector<Coverage> coverage = coverage_of(graph, partition, codegens.size());
  page::Page page(graph.name + " for " + target.name, std::string(model != nullptr ? "export of " : "partition of ") +
                                                          file_name(graph.file) + ", target " + target.name +
                                                          (target.triple.empty() ? "" : " (" + target.triple + ")"));
  if (model != nullptr) page.headline(headline(*model, graph.name + " for " + target.name), hottest(*model));
  page.figures(figures(told, target, coverage));
  page.warnings(warnings(told, target, coverage));
  add_graphs(told, page);
  if (model != nullptr) {
    add_memory(*model, page);
    add_step_table(*model, page);
  }
  add_regions(told, target, page);
  add_nodes(told, page);
  add_rest(told, rewrites, page);
  return page.html();
}

}  // namespace byoc
