// The verdicts of a bisection by step, region and codegen.
#pragma once

#include <string>
#include <vector>

#include "byoc/interface.hpp"
#include "byoc/run.hpp"

namespace byoc {

// A group of steps: a region, or the steps of a codegen.
struct VerdictGroup {
  std::string name;
  std::size_t steps = 0;
  std::size_t bad = 0;       // differ, or do what they must not
  std::size_t unseen = 0;    // of which nothing can be compared
  std::string allowed = {};  // the most of them that is not exact
};

[[nodiscard]] bool is_good(const StepVerdict&);
// "agrees exactly", "agrees within 1 LSB", "DIFFERS: ...", "WRONG: ...", "not seen"
[[nodiscard]] std::string verdict_text(const StepVerdict&);
// "2 of 7 steps bad", "7 steps agree, within 1 LSB"
[[nodiscard]] std::string verdict_text(const VerdictGroup&);
// The regions in the order of their first steps; steps without a region are left out.
[[nodiscard]] std::vector<VerdictGroup> by_region(const std::vector<StepVerdict>&);
[[nodiscard]] std::vector<VerdictGroup> by_codegen(const ModelInterface&, const std::vector<StepVerdict>&);
// Fixed-width text: a line for each step, region and codegen.
[[nodiscard]] std::string verdict_table(const ModelInterface&, const std::vector<StepVerdict>&);

}  // namespace byoc
