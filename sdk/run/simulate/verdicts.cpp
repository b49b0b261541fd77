#include "sdk/run/simulate/verdicts.hpp"

#include <algorithm>
#include <array>

namespace byoc {
namespace {

void add_to_group(std::vector<VerdictGroup>& groups, const std::string& name, const StepVerdict& v) {
  if (name.empty()) return;
  auto at = std::find_if(groups.begin(), groups.end(), [&](const VerdictGroup& g) { return g.name == name; });
  if (at == groups.end()) at = groups.insert(at, {.name = name});
  ++at->steps;
  if (!is_good(v)) ++at->bad;
  if (v.kind == StepVerdict::Kind::unseen) ++at->unseen;
  if (at->allowed.empty() || at->allowed == "exactly") at->allowed = v.allowed;
}

using VerdictRow = std::array<std::string, 4>;

// Symbols have the names of layers in them.
std::string shortened(const std::string& symbol) {
  constexpr std::size_t kMost = 44;
  return symbol.size() <= kMost ? symbol : symbol.substr(0, kMost - 3) + "...";
}

std::string layout_rows(const std::vector<VerdictRow>& rows) {
  std::array<std::size_t, 4> widths{};
  for (const VerdictRow& r : rows)
    for (std::size_t c = 0; c + 1 < r.size(); ++c) widths[c] = std::max(widths[c], r[c].size());
  std::string out;
  for (const VerdictRow& r : rows) {
    for (std::size_t c = 0; c + 1 < r.size(); ++c) out += r[c] + std::string(widths[c] - r[c].size() + 2, ' ');
    out += r.back() + "\n";
  }
  return out;
}

}  // namespace

bool is_good(const StepVerdict& v) {
  return v.kind == StepVerdict::Kind::agrees || v.kind == StepVerdict::Kind::unseen;
}

std::string verdict_text(const StepVerdict& v) {
  switch (v.kind) {
    case StepVerdict::Kind::agrees: return "agrees " + v.allowed;
    case StepVerdict::Kind::differs: return "DIFFERS: " + v.text;
    case StepVerdict::Kind::wrong: return "WRONG: " + v.text;
    case StepVerdict::Kind::unseen: break;
  }
  return "not seen: its values are its codegen's own";
}

std::string verdict_text(const VerdictGroup& g) {
  if (g.bad != 0) return std::to_string(g.bad) + " of " + std::to_string(g.steps) + " steps BAD";
  std::string out = std::to_string(g.steps - g.unseen) + " of " + std::to_string(g.steps) + " steps agree";
  return out + (g.allowed.empty() ? "" : ", " + g.allowed);
}

std::vector<VerdictGroup> by_region(const std::vector<StepVerdict>& verdicts) {
  std::vector<VerdictGroup> out;
  for (const StepVerdict& v : verdicts) add_to_group(out, v.region, v);
  return out;
}

std::vector<VerdictGroup> by_codegen(const ModelInterface& model, const std::vector<StepVerdict>& verdicts) {
  std::vector<VerdictGroup> out;
  for (const StepVerdict& v : verdicts) add_to_group(out, model.steps[v.step].codegen, v);
  return out;
}

std::string verdict_table(const ModelInterface& model, const std::vector<StepVerdict>& verdicts) {
  std::vector<VerdictRow> rows = {{"step", "region", "codegen", "with the evaluator's inputs"}};
  for (const StepVerdict& v : verdicts)
    rows.push_back({shortened(model.steps[v.step].symbol), v.region, model.steps[v.step].codegen, verdict_text(v)});
  for (const VerdictGroup& g : by_region(verdicts)) rows.push_back({"", g.name, "", verdict_text(g)});
  for (const VerdictGroup& g : by_codegen(model, verdicts)) rows.push_back({"", "", g.name, verdict_text(g)});
  return layout_rows(rows);
}

}  // namespace byoc
