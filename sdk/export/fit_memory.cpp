#include "sdk/export/fit_memory.hpp"

#include <algorithm>

#include "sdk/program/plan/fit.hpp"

namespace byoc {
namespace {

// The number of times that codegens are asked for less memory before the model is refused.
constexpr std::uint32_t kMostAttempts = 16;

// Bytes of workspace, of those the target and the user bound; 0: neither does.
std::uint64_t workspace_limit(const ir::Graph& graph, const MemoryLimits& limits) {
  const std::uint64_t of_target = plan::workspace_limit(limits.target);
  if (limits.max_ram == 0) return of_target;
  std::uint64_t taken = 0;
  for (const auto* list : {&graph.inputs, &graph.outputs})
    for (const ir::ValueId v : *list) taken += graph.values[v].type.bytes();
  const std::uint64_t left = std::max<std::uint64_t>(limits.max_ram - std::min(taken, limits.max_ram), 1);
  return of_target == 0 ? left : std::min(left, of_target);
}

// The budget for codegens that are asked to save memory. The first request states the real budget. Then it shrinks by
// the excess, in growing steps if that does not help, until nothing is left to take away.
class Budget {
 public:
  explicit Budget(std::uint64_t bytes) : bytes_(bytes) {}
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

  // Called after an attempt that took `over` bytes too many. False: another attempt is useless.
  bool tighten(std::uint32_t attempt, std::uint64_t over) {
    const bool better = over < least_;
    if (attempt >= kMostAttempts || !(better || bytes_ > 1)) return false;
    step_ = better ? over : std::max(2 * step_, over);
    if (attempt != 0) bytes_ -= std::min(bytes_ - 1, step_);
    least_ = std::min(least_, over);
    return true;
  }

 private:
  std::uint64_t bytes_;
  std::uint64_t least_ = UINT64_MAX, step_ = 0;
};

// The model takes more than the user gives it, whatever was tried: `least` of all attempts.
void report_ram(const plan::ModelRam& use, const ir::Graph& graph, std::uint64_t least, std::uint64_t most,
                Diagnostics& diags) {
  const auto part = [](const char* name, std::uint64_t bytes) {
    return bytes == 0 ? std::string() : ", " + std::string(name) + " " + std::to_string(bytes);
  };
  diags.error(graph.file, {}, "no plan fits into the RAM that the model may take",
              std::to_string(least) + " bytes" + part("workspace", least - (use.total() - use.workspaces)) +
                  part("instance", use.instance) + part("inputs", use.inputs) + part("outputs", use.outputs),
              "at most " + std::to_string(most) + " bytes, " + std::to_string(least - most) + " fewer");
}

// The least RAM that some budget above `from`, which is too small, leads to, where `known` bytes are reached without:
// the smallest budget that is kept is searched for by halves.
std::uint64_t search_least(const PlanAttempt& attempt, std::uint64_t from, std::uint64_t known, std::uint32_t asked) {
  constexpr std::uint64_t kNear = 8;  // what workspaces are aligned to
  std::uint64_t least = known, to = known;
  for (std::uint32_t n = 0; n < kMostAttempts && from + kNear < to; ++n) {
    const std::uint64_t middle = from + (to - from) / 2;
    Diagnostics untold;
    const auto planned = attempt(middle, asked + 1 + n, untold);
    if (!planned) break;
    const plan::ModelRam ram = plan::ram_of(planned->program);
    least = std::min(least, ram.total());
    if (ram.workspaces <= middle)
      to = ram.workspaces;
    else
      from = middle;
  }
  return least;
}

}  // namespace

Result<Planned> fit_memory(const ir::Graph& graph, const MemoryLimits& limits, const PlanAttempt& attempt,
                           Diagnostics& diags) {
  const std::uint64_t limit = workspace_limit(graph, limits);
  Budget budget(limit);
  std::uint64_t least_ram = UINT64_MAX;
  for (std::uint32_t n = 0;; ++n) {
    Diagnostics told;  // of this attempt: the last one counts
    auto planned = attempt(budget.bytes(), n, told);
    std::uint64_t over = planned ? plan::excess(planned->program) : 0;
    plan::ModelRam ram;
    if (planned && limits.max_ram != 0) {
      ram = plan::ram_of(planned->program);
      least_ram = std::min(least_ram, ram.total());
      over = std::max(over, ram.total() - std::min(ram.total(), limits.max_ram));
    }
    if (limits.can_save && limit != 0 && over != 0 && budget.tighten(n, over)) continue;
    if (planned && !plan::check_fit(planned->program, limits.target, told))
      planned = failure;
    else if (over != 0) {
      if (limits.can_save) least_ram = search_least(attempt, limit, least_ram, n);
      report_ram(ram, graph, least_ram, limits.max_ram, told);
      planned = failure;
    }
    for (const Diagnostic& d : told.all()) diags.add(d);
    return planned;
  }
}

}  // namespace byoc
