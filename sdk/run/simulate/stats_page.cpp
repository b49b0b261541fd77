#include "sdk/run/simulate/stats_page.hpp"

#include <algorithm>

#include "sdk/base/page/page.hpp"
#include "sdk/base/page/text.hpp"
#include "sdk/run/simulate/verdicts.hpp"

namespace byoc {
namespace {

using page::Figure;
using page::number_cell;
using page::text_cell;

std::uint64_t largest(const std::vector<std::uint64_t>& all) {
  return all.empty() ? 0 : *std::max_element(all.begin(), all.end());
}

const char* unit(const RunResult& result) { return result.nanoseconds ? "nanoseconds" : "instructions"; }

std::vector<Figure> figures(const RunResult& result) {
  std::vector<Figure> out;
  if (result.instructions) out.push_back({"instructions", page::spaced(*result.instructions), "of one inference"});
  if (result.nanoseconds) out.push_back({"nanoseconds", page::spaced(*result.nanoseconds), "of one inference"});
  if (!result.step_cycles.empty())
    out.push_back({"cycles", page::spaced(step_times(result).total), "of one inference, estimated"});
  const FlashUse& flash = result.flash;
  out.push_back({"flash", page::bytes_text(flash.total()),
                 page::bytes_text(flash.weights) + " of weights, " + page::bytes_text(flash.text) + " of code"});
  const RamUse& ram = result.ram;
  out.push_back({"RAM", page::bytes_text(ram.total()),
                 page::bytes_text(ram.workspace) + " of workspace, " + page::bytes_text(ram.stack) + " of stack"});
  if (result.comparison)
    out.push_back({"comparison", result.comparison->difference ? "differs" : "agrees",
                   page::spaced(result.comparison->tensors) + " tensors, " + page::spaced(result.comparison->exact) +
                       " of them bit for bit"});
  return out;
}

std::vector<page::Warning> warnings(const RunResult& result) {
  if (!result.comparison || !result.comparison->difference) return {};
  const RunComparison::Difference& d = *result.comparison->difference;
  return {{"Tensor " + d.tensor + " is not what the evaluator computes.",
           d.node + " computes it, " + page::spaced(d.count) + " of " + page::spaced(d.elements) +
               " elements differ by more than allowed (" + d.allowed + "): the first is element " +
               page::spaced(d.element) + ", " + std::to_string(d.found) + " instead of " + std::to_string(d.expected) +
               "."}};
}

page::Table step_table(const ModelInterface& model, const RunResult& result, bool codegens) {
  const bool counted = !result.step_counts.empty(), cycles = !result.step_cycles.empty();
  const StepTimes times = step_times(result);
  page::Table out{{{"#", true}, {"layer"}}, {}};
  if (codegens) out.columns.push_back({"codegen"});
  out.columns.insert(out.columns.end(), {{"kernel"}, {"MACs", true}});
  if (times.total != 0) out.columns.push_back({std::string("share of ") + times.unit, true});
  if (counted) out.columns.push_back({unit(result), true});
  if (cycles) out.columns.push_back({"cycles, estimated", true});
  for (const char* title : {"flash of constants", "RAM in use"}) out.columns.push_back({title, true});
  std::uint64_t constants = 0, live = 0;
  for (const StepInfo& s : model.steps) {
    constants = std::max(constants, s.constant_bytes);
    live = std::max(live, s.live_bytes);
  }
  for (std::size_t i = 0; i < model.steps.size(); ++i) {
    const StepInfo& s = model.steps[i];
    std::vector<page::Cell> row = {page::index_cell(i), page::node_cell(s.nodes.empty() ? s.symbol : s.nodes.front())};
    if (codegens) row.push_back(text_cell(s.codegen));
    row.insert(row.end(), {page::identifier_cell(s.kernel), number_cell(s.macs)});
    if (times.total != 0) row.push_back(page::share_cell(i < times.steps.size() ? times.steps[i] : 0, times.total));
    const auto add = [&](const std::vector<std::uint64_t>& all) {
      row.push_back(number_cell(i < all.size() ? all[i] : 0, times.total == 0 ? largest(all) : 0));
    };
    if (counted) add(result.step_counts);
    if (cycles) add(result.step_cycles);
    row.push_back(number_cell(s.constant_bytes, constants));
    row.push_back(number_cell(s.live_bytes, live));
    out.rows.push_back(std::move(row));
  }
  return out;
}

page::Table memory_table(const ModelInterface& model, const RunResult& result) {
  page::Table out{{{"memory"}, {"bytes", true}}, {}};
  const auto add = [&](const std::string& what, std::uint64_t bytes, std::uint64_t most) {
    out.rows.push_back({text_cell(what), number_cell(bytes, most)});
  };
  const FlashUse& flash = result.flash;
  add("flash: weights", flash.weights, flash.total());
  add("flash: code", flash.text, flash.total());
  add("flash: read-only data", flash.rodata, flash.total());
  add("flash: initial values of data", flash.data, flash.total());
  const RamUse& ram = result.ram;
  add("RAM: workspace and instance", ram.workspace, ram.total());
  for (const PoolWorkspace& w : model.further_workspaces) add("RAM: of that in " + w.pool, w.bytes, ram.total());
  if (model.instance_place)
    add("RAM: of that the instance in " + model.instance_place->pool, model.instance_bytes, ram.total());
  add("RAM: data", ram.data, ram.total());
  add("RAM: bss", ram.bss, ram.total());
  add("RAM: stack", ram.stack, ram.total());
  return out;
}

page::Table verdict_rows(const ModelInterface& model, const std::vector<StepVerdict>& verdicts) {
  page::Table out{{{"step"}, {"region"}, {"codegen"}, {"with the evaluator's inputs"}}, {}};
  for (const StepVerdict& v : verdicts) {
    const StepInfo& s = model.steps[v.step];
    out.rows.push_back({page::node_cell(s.nodes.empty() ? s.symbol : s.nodes.front()), text_cell(v.region),
                        text_cell(s.codegen), text_cell(verdict_text(v))});
  }
  for (const VerdictGroup& g : by_region(verdicts))
    out.rows.push_back({text_cell("all"), text_cell(g.name), text_cell(""), text_cell(verdict_text(g))});
  for (const VerdictGroup& g : by_codegen(model, verdicts))
    out.rows.push_back({text_cell("all"), text_cell(""), text_cell(g.name), text_cell(verdict_text(g))});
  return out;
}

}  // namespace

std::string stats_page(const ModelInterface& model, const TargetSpec& target, const RunResult& result,
                       const RunOrigin& origin) {
  page::Page page((model.name.empty() ? model.prefix : model.name) + " on " + target.name,
                  "run on target " + target.name);
  const std::string hottest = hottest_text(model, result);
  page.headline(headline(model, target, result, origin), hottest.empty() ? "" : "Hottest layers: " + hottest + ".");
  page.figures(figures(result));
  page.warnings(warnings(result));
  const bool codegens = has_several_codegens(model);
  page.table("steps", step_table(model, result, codegens),
             codegens || model.steps.empty() || model.steps.front().codegen.empty()
                 ? ""
                 : "All are of codegen " + model.steps.front().codegen + ".");
  if (!result.verdicts.empty()) page.table("bisection", verdict_rows(model, result.verdicts));
  page.table("memory", memory_table(model, result), "What is there because of the model; inputs and outputs are not.");
  return page.html();
}

}  // namespace byoc
