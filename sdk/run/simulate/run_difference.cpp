#include "sdk/run/simulate/run_difference.hpp"

#include <algorithm>
#include <map>

#include "sdk/base/page/text.hpp"
#include "sdk/base/support/word_list.hpp"

namespace byoc {
namespace {

using Count = std::optional<std::uint64_t> SavedTimes::*;

struct Unit {
  const char* name;
  Count count;
};
constexpr Unit kUnits[] = {{"cycles", &SavedTimes::cycles},
                           {"instructions", &SavedTimes::instructions},
                           {"nanoseconds", &SavedTimes::nanoseconds}};

// The first unit that both runs have for their steps; null: there is none.
const Unit* unit_of(const SavedRun& before, const SavedRun& after) {
  const auto has = [](const SavedRun& run, const Unit& unit) {
    return std::any_of(run.steps.begin(), run.steps.end(),
                       [&](const SavedStep& s) { return (s.times.*unit.count).has_value(); });
  };
  const auto* at = std::find_if(std::begin(kUnits), std::end(kUnits),
                                [&](const Unit& unit) { return has(before, unit) && has(after, unit); });
  return at == std::end(kUnits) ? nullptr : at;
}

std::vector<Change> figures_of(const SavedRun& before, const SavedRun& after) {
  std::vector<Change> out;
  for (const Unit& unit : kUnits)
    if (before.times.*unit.count || after.times.*unit.count)
      out.push_back({unit.name, before.times.*unit.count, after.times.*unit.count});
  const FlashUse &f0 = before.flash, &f1 = after.flash;
  const RamUse &r0 = before.ram, &r1 = after.ram;
  out.insert(out.end(), {{"flash", f0.total(), f1.total()},
                         {"code", f0.text, f1.text, true},
                         {"read-only data", f0.rodata, f1.rodata, true},
                         {"data", f0.data, f1.data, true},
                         {"weights", f0.weights, f1.weights, true},
                         {"RAM", r0.total(), r1.total()},
                         {"workspace", r0.workspace, r1.workspace, true},
                         {"data", r0.data, r1.data, true},
                         {"bss", r0.bss, r1.bss, true},
                         {"stack", r0.stack, r1.stack, true}});
  std::erase_if(out, [](const Change& c) { return c.is_part && c.is_none(); });
  return out;
}

void add_remark(const std::string& what, const std::string& before, const std::string& after,
                std::vector<std::string>& remarks) {
  if (before != after && !before.empty() && !after.empty())
    remarks.push_back("another " + what + ": " + before + " before, " + after + " after");
}

std::vector<std::string> remarks_of(const SavedRun& before, const SavedRun& after) {
  std::vector<std::string> out;
  add_remark("target", before.target, after.target, out);
  add_remark("model", before.model, after.model, out);
  if (before.model == after.model && before.model_sha256 != after.model_sha256 && !before.model_sha256.empty() &&
      !after.model_sha256.empty())
    out.emplace_back("the file of the model has changed");
  add_remark("version of byoc", before.byoc, after.byoc, out);
  const auto options = [](const SavedRun& run) { return run.options.empty() ? "none" : word_list(run.options, "and"); };
  if (!before.byoc.empty() && !after.byoc.empty() && before.options != after.options)
    out.push_back("other options: " + options(before) + " before, " + options(after) + " after");
  return out;
}

std::string origin_of(const SavedRun& run) {
  std::string out = run.file + ": ";
  out += run.byoc.empty() ? "an older byoc" : "byoc " + run.byoc;
  if (!run.model_sha256.empty()) out += ", model " + run.model_sha256;
  return out + (run.options.empty() ? "" : ", options " + word_list(run.options, "and"));
}

LayerChange layer_change(const SavedStep* before, const SavedStep* after, const Unit* unit) {
  using Kind = LayerChange::Kind;
  LayerChange out{after != nullptr ? after->layer : before->layer, before == nullptr  ? Kind::added
                                                                   : after == nullptr ? Kind::removed
                                                                                      : Kind::changed};
  const auto fill = [&](const SavedStep* step, std::optional<std::uint64_t> Change::* side, std::string& kernel) {
    if (step == nullptr) return;
    if (unit != nullptr) out.time.*side = step->times.*unit->count;
    out.constants.*side = step->constant_bytes;
    out.ram.*side = step->live_bytes;
    kernel = step->kernel;
  };
  fill(before, &Change::before, out.kernel_before);
  fill(after, &Change::after, out.kernel_after);
  return out;
}

bool is_same(const LayerChange& c) {
  return c.kind == LayerChange::Kind::changed && c.time.is_none() && c.constants.is_none() && c.ram.is_none() &&
         c.kernel_before == c.kernel_after;
}

// Layers of one name belong together in their order: a layer may be several steps.
void add_layers(const SavedRun& before, const SavedRun& after, const Unit* unit, RunDifference& out) {
  std::map<std::string, std::vector<const SavedStep*>> left;
  for (const SavedStep& s : before.steps) left[s.layer].push_back(&s);
  std::map<std::string, std::size_t> taken;
  const auto add = [&](const LayerChange& c) {
    if (is_same(c))
      ++out.same;
    else
      out.layers.push_back(c);
  };
  for (const SavedStep& s : after.steps) {
    const auto& those = left[s.layer];
    const std::size_t at = taken[s.layer]++;
    add(layer_change(at < those.size() ? those[at] : nullptr, &s, unit));
  }
  std::map<std::string, std::size_t> seen;
  for (const SavedStep& s : before.steps)
    if (seen[s.layer]++ >= taken[s.layer]) add(layer_change(&s, nullptr, unit));
}

}  // namespace

RunDifference compare_runs(const SavedRun& before, const SavedRun& after) {
  RunDifference out{after.model + " on " + after.target,
                    before.file,
                    after.file,
                    origin_of(before),
                    origin_of(after),
                    remarks_of(before, after),
                    figures_of(before, after)};
  const Unit* unit = unit_of(before, after);
  if (unit != nullptr) out.unit = unit->name;
  add_layers(before, after, unit, out);
  return out;
}

std::string change_percent(const Change& c) {
  if (!c.before || !c.after || *c.before == 0 || c.is_none()) return {};
  const double share =
      100 * (static_cast<double>(*c.after) - static_cast<double>(*c.before)) / static_cast<double>(*c.before);
  return (share < 0 ? "" : "+") + page::percent(share) + " %";
}

std::string change_text(const Change& c) {
  if (!c.before || !c.after) return c.is_none() ? "" : c.after ? "new" : "gone";
  if (c.is_none()) return "=";
  return *c.after < *c.before ? "-" + page::grouped(*c.before - *c.after) : "+" + page::grouped(*c.after - *c.before);
}

}  // namespace byoc
