#include "sdk/run/simulate/stats.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "sdk/base/page/text.hpp"
#include "sdk/base/support/helper_program.hpp"
#include "sdk/base/support/json.hpp"
#include "sdk/run/simulate/verdicts.hpp"
#include "sdk/target/target/chips.hpp"

namespace byoc {
namespace {

using page::grouped;
// The parts of ram.workspace that are not in the first RAM pool; the first's own comes before them.
Json by_pool(const ModelInterface& model) {
  Json out = Json::array();
  for (const PoolWorkspace& w : model.further_workspaces)
    out.push_back({{"pool", w.pool}, {"workspace", w.bytes}, {"workspace_lower_bound", w.lower_bound}});
  if (model.instance_place) out.push_back({{"pool", model.instance_place->pool}, {"instance", model.instance_bytes}});
  return out;
}

Json groups_json(const std::vector<VerdictGroup>& groups) {
  Json out = Json::array();
  for (const VerdictGroup& g : groups)
    out.push_back({{"name", g.name}, {"steps", g.steps}, {"bad", g.bad}, {"allowed", g.allowed}});
  return out;
}

Json bisection(const ModelInterface& model, const std::vector<StepVerdict>& verdicts) {
  constexpr const char* kKinds[] = {"agrees", "differs", "wrong", "unseen"};
  Json steps = Json::array();
  for (const StepVerdict& v : verdicts)
    steps.push_back({{"symbol", model.steps[v.step].symbol},
                     {"region", v.region},
                     {"codegen", model.steps[v.step].codegen},
                     {"verdict", kKinds[static_cast<std::size_t>(v.kind)]},
                     {"allowed", v.allowed},
                     {"tensors", v.tensors},
                     {"text", v.text}});
  return {{"steps", std::move(steps)},
          {"regions", groups_json(by_region(verdicts))},
          {"codegens", groups_json(by_codegen(model, verdicts))}};
}

Json number_or_null(const std::optional<std::uint64_t>& value) { return value ? Json(*value) : Json(nullptr); }

std::uint64_t macs_of(const ModelInterface& model) {
  std::uint64_t macs = 0;
  for (const StepInfo& step : model.steps) macs += step.macs;
  return macs;
}

// Counts are instructions where those are counted, else nanoseconds.
std::optional<std::uint64_t> step_count(const RunResult& result, std::size_t step) {
  if (step >= result.step_counts.size()) return std::nullopt;
  return result.step_counts[step];
}

std::optional<std::uint64_t> step_cycles(const RunResult& result, std::size_t step) {
  if (step >= result.step_cycles.size()) return std::nullopt;
  return result.step_cycles[step];
}

std::optional<std::uint64_t> all_cycles(const RunResult& result) {
  if (result.step_cycles.empty()) return std::nullopt;
  return std::accumulate(result.step_cycles.begin(), result.step_cycles.end(), std::uint64_t{0});
}

std::string per_mac(const std::optional<std::uint64_t>& count, std::uint64_t macs) {
  if (!count || macs == 0) return "";
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f", static_cast<double>(*count) / static_cast<double>(macs));
  return text.data();
}

using Row = std::vector<std::string>;

// Columns as wide as their widest cell; the first `left` of them aligned left.
std::string layout(const std::vector<Row>& rows, std::size_t left) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string pad(widths[i] - row[i].size(), ' ');
      line += (i == 0 ? "" : "  ") + (i < left ? row[i] + pad : pad + row[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::optional<std::uint64_t> known(std::uint64_t estimate) {
  return estimate == 0 ? std::nullopt : std::optional(estimate);
}

std::string nodes_text(const StepInfo& step) {
  constexpr std::size_t kWidest = 48;
  std::string text = step.nodes.empty() ? step.symbol : step.nodes.front();
  if (text.size() > kWidest) text = text.substr(0, kWidest - 3) + "...";
  if (step.nodes.size() > 1) text += " +" + std::to_string(step.nodes.size() - 1);
  return text;
}

// The clock that the cycles were estimated for, or the chip's fastest; 0: not known.
double mhz_of(const TargetSpec& target, const RunOrigin& origin) {
  double mhz = 0;
  const std::string_view flash = origin.flash;
  if (const std::size_t at = flash.find('@'); at != std::string_view::npos) {
    std::from_chars(flash.data() + at + 1, flash.data() + flash.size(), mhz);
    return mhz;
  }
  const Chip* chip = find_chip(target.name);
  return chip == nullptr ? 0 : chip->mhz;
}

// "120", "0.25"; three digits that matter.
std::string short_number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

std::string short_step(const StepInfo& step) {
  constexpr std::size_t kWidest = 40;
  return page::short_node(step.nodes.empty() ? step.symbol : utf8(step.nodes.front()), kWidest);
}

}  // namespace

StepTimes step_times(const RunResult& result) {
  const bool cycles = !result.step_cycles.empty();
  StepTimes out{cycles               ? "cycles"
                : result.nanoseconds ? "nanoseconds"
                                     : "instructions",
                cycles ? result.step_cycles : result.step_counts};
  out.total = std::accumulate(out.steps.begin(), out.steps.end(), std::uint64_t{0});
  return out;
}

bool has_several_codegens(const ModelInterface& model) {
  return std::any_of(model.steps.begin(), model.steps.end(),
                     [&](const StepInfo& s) { return s.codegen != model.steps.front().codegen; });
}

std::string headline(const ModelInterface& model, const TargetSpec& target, const RunResult& result,
                     const RunOrigin& origin) {
  const double clock = mhz_of(target, origin);
  const std::optional<std::uint64_t> cycles = all_cycles(result);
  std::string out = (model.name.empty() ? model.prefix : model.name) + " on " + target.name;
  if (cycles && clock > 0) out += " at " + short_number(clock) + " MHz";
  std::vector<std::string> figures;
  if (cycles && clock > 0)
    figures.push_back(page::percent(static_cast<double>(*cycles) / clock / 1000) + " ms modelled" +
                      (origin.flash.empty() ? " without wait states" : ""));
  else if (cycles)
    figures.push_back(page::spaced(*cycles) + " cycles, estimated");
  else if (result.nanoseconds)
    figures.push_back(short_number(static_cast<double>(*result.nanoseconds) / 1e6) + " ms on this machine");
  else if (result.instructions)
    figures.push_back(page::spaced(*result.instructions) + " instructions");
  figures.push_back(page::bytes_text(result.flash.total()) + " flash");
  figures.push_back(page::bytes_text(result.ram.total()) + " RAM");
  if (result.comparison && !result.comparison->difference && result.comparison->exact == result.comparison->tensors)
    figures.emplace_back("bit-exact");
  for (std::size_t i = 0; i < figures.size(); ++i) out += (i == 0 ? ": " : ", ") + figures[i];
  return out;
}

std::string hottest_text(const ModelInterface& model, const RunResult& result) {
  const StepTimes times = step_times(result);
  if (times.steps.size() != model.steps.size()) return {};
  std::vector<page::Part> parts;
  for (std::size_t i = 0; i < times.steps.size(); ++i) parts.push_back({short_step(model.steps[i]), times.steps[i]});
  const std::string largest = page::largest_parts(std::move(parts));
  return largest.empty() ? "" : largest + " of " + times.unit;
}

std::string stats_json(const ModelInterface& model, const TargetSpec& target, const RunResult& result,
                       const RunOrigin& origin) {
  Json steps = Json::array();
  for (std::size_t i = 0; i < model.steps.size(); ++i) {
    const StepInfo& step = model.steps[i];
    const std::optional<std::uint64_t> count = step_count(result, i);
    steps.push_back({{"symbol", step.symbol},
                     {"kernel", step.kernel},
                     {"nodes", step.nodes},
                     {"macs", step.macs},
                     {"instructions", result.instructions ? number_or_null(count) : Json(nullptr)},
                     {"cycles", number_or_null(step_cycles(result, i))},
                     {"nanoseconds", result.nanoseconds ? number_or_null(count) : Json(nullptr)},
                     {"estimated_instructions", number_or_null(known(step.estimated_instructions))},
                     {"constant_bytes", step.constant_bytes},
                     {"kernel_bytes", number_or_null(known(step.kernel_bytes))},
                     {"live_bytes", step.live_bytes},
                     {"workspace_bytes", step.workspace_bytes},
                     {"remark", step.remark}});
  }
  const FlashUse& flash = result.flash;
  const RamUse& ram = result.ram;
  Json stats = {{"byoc", helper_version()},
                {"model", model.name},
                {"model_sha256", origin.model_sha256},
                {"options", origin.options},
                {"target", target.name},
                {"instructions", number_or_null(result.instructions)},
                {"cycles", number_or_null(all_cycles(result))},
                {"nanoseconds", number_or_null(result.nanoseconds)},
                {"macs", macs_of(model)},
                {"flash",
                 {{"text", flash.text},
                  {"rodata", flash.rodata},
                  {"data", flash.data},
                  {"weights", flash.weights},
                  {"total", flash.total()}}},
                {"ram",
                 {{"workspace", ram.workspace},
                  {"data", ram.data},
                  {"bss", ram.bss},
                  {"stack", ram.stack},
                  {"total", ram.total()}}},
                {"workspace_lower_bound", model.workspace_lower_bound},
                {"steps", std::move(steps)}};
  if (!result.verdicts.empty()) stats["bisection"] = bisection(model, result.verdicts);
  if (!model.further_workspaces.empty()) stats["ram"]["further_pools"] = by_pool(model);
  return ascii_json_text(stats, 2) + "\n";
}

Result<std::string> node_data(const ModelInterface& model, const TargetSpec& target, const RunResult& result,
                              const std::string& file, Diagnostics& diags) {
  const StepTimes times = step_times(result);
  Json results = Json::object();
  for (std::size_t i = 0; i < times.steps.size() && i < model.steps.size(); ++i)
    if (!model.steps[i].results.empty())
      results[utf8(model.steps[i].results.back().name)] = {{"value", times.steps[i]}};
  if (results.empty())
    return diags.error(file, "--report", "no layer has figures for a viewer of the model", {},
                       "a run of the model itself, with figures for each layer");
  Json gradient = Json::array();
  gradient.push_back({{"stop", 0}, {"bgColor", "#ffffff"}});
  gradient.push_back({{"stop", 1}, {"bgColor", "#e8590c"}});
  const Json out = {
      {"name", std::string(times.unit) + " on " + target.name}, {"results", results}, {"gradient", gradient}};
  return ascii_json_text(out, 2) + "\n";
}

std::string stats_table(const ModelInterface& model, const TargetSpec& target, const RunResult& result) {
  const bool counted = result.instructions.has_value() || result.nanoseconds.has_value();
  const std::string unit = result.nanoseconds ? "ns" : "instructions";
  const std::optional<std::uint64_t> cycles = all_cycles(result);
  std::vector<Row> rows = {{"#", "layer", "kernel", "MACs", unit, "per MAC", "flash", "RAM"}};
  // Estimated cycles stand behind the count.
  const auto add = [&](Row row, const std::string& estimate, const std::string& each) {
    if (cycles) row.insert(row.begin() + 6, {estimate, each});
    rows.push_back(std::move(row));
  };
  if (cycles) rows.front().insert(rows.front().begin() + 6, {"cycles", "per MAC"});
  for (std::size_t i = 0; i < model.steps.size(); ++i) {
    const StepInfo& step = model.steps[i];
    const std::optional<std::uint64_t> count = step_count(result, i);
    const std::optional<std::uint64_t> estimate = step_cycles(result, i);
    add({std::to_string(i), nodes_text(step), step.kernel, step.macs != 0 ? grouped(step.macs) : "",
         count ? grouped(*count) : "", per_mac(count, step.macs), grouped(step.constant_bytes),
         grouped(step.live_bytes)},
        estimate ? grouped(*estimate) : "", per_mac(estimate, step.macs));
  }
  const std::optional<std::uint64_t> count = result.nanoseconds ? result.nanoseconds : result.instructions;
  const std::string hottest = hottest_text(model, result);
  const FlashUse& flash = result.flash;
  const RamUse& ram = result.ram;
  std::string further;
  for (const PoolWorkspace& w : model.further_workspaces)
    further += "       of which in " + w.pool + " " + grouped(w.bytes) + " (lower bound " + grouped(w.lower_bound) +
               ") bytes\n";
  if (model.instance_place)
    further += "       of which in " + model.instance_place->pool + " the instance, " + grouped(model.instance_bytes) +
               " bytes\n";
  add({"", "one inference on " + target.name, "", grouped(macs_of(model)), counted ? grouped(*count) : "",
       per_mac(count, macs_of(model)), grouped(flash.total()), grouped(ram.total())},
      cycles ? grouped(*cycles) : "", per_mac(cycles, macs_of(model)));
  return layout(rows, 3) + "\nflash  text " + grouped(flash.text) + ", rodata " + grouped(flash.rodata) + ", data " +
         grouped(flash.data) + ", weights " + grouped(flash.weights) + " bytes\nRAM    workspace " +
         grouped(ram.workspace) + " (lower bound " + grouped(model.workspace_lower_bound) + "), data " +
         grouped(ram.data) + ", bss " + grouped(ram.bss) + ", stack " + grouped(ram.stack) + " bytes\n" + further +
         (hottest.empty() ? "" : "hottest " + hottest + "\n");
}

}  // namespace byoc
