// Two saved runs beside each other: what grew, in all and by layer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sdk/run/simulate/saved_run.hpp"

namespace byoc {

// A figure before and after; nothing where it was not counted, or where there is no such layer.
struct Change {
  std::string name = {};
  std::optional<std::uint64_t> before = {}, after = {};
  bool is_part = false;  // of the total above it

  [[nodiscard]] bool is_none() const { return before == after; }
};

struct LayerChange {
  enum class Kind { changed, added, removed };
  std::string layer;
  Kind kind = Kind::changed;
  std::string kernel_before = {}, kernel_after = {};
  Change time = {}, constants = {}, ram = {};
};

struct RunDifference {
  std::string subject;                      // "kws on cortex-m4f": of the second run
  std::string before, after;                // files
  std::string origin_before, origin_after;  // "a.json: byoc 0.1.0, model 11ab, options --cycles"
  std::vector<std::string> remarks;         // why figures may differ: another target, another model
  std::vector<Change> figures;
  std::string unit = {};  // of LayerChange::time: "cycles"; "": both runs have none of one unit
  // Layers that are not the same, in the order of the second run; those that are gone come last.
  std::vector<LayerChange> layers = {};
  std::size_t same = 0;  // layers that are
};

[[nodiscard]] RunDifference compare_runs(const SavedRun& before, const SavedRun& after);

// "-12.5 %"; "" where there is nothing to compare with.
[[nodiscard]] std::string change_percent(const Change&);
// "-1,200", "+8", "=", "new", "gone".
[[nodiscard]] std::string change_text(const Change&);

// The forms of it: for terminals, for comments on pull requests, and a page.
[[nodiscard]] std::string difference_text(const RunDifference&);
[[nodiscard]] std::string difference_markdown(const RunDifference&);
[[nodiscard]] std::string difference_page(const RunDifference&);

}  // namespace byoc
