// A run that was saved, as `byoc run --stats` writes it: what two of them are compared by.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "byoc/run.hpp"
#include "sdk/base/support/diagnostics.hpp"

namespace byoc {

// Counts of one inference; nothing: it was not counted.
struct SavedTimes {
  std::optional<std::uint64_t> cycles = {}, instructions = {}, nanoseconds = {};
};

struct SavedStep {
  std::string layer;  // its first node, "Conv 'layer1/conv' (#3)"; the symbol where it has none
  std::string kernel;
  SavedTimes times;
  std::uint64_t constant_bytes = 0, live_bytes = 0;
};

struct SavedRun {
  std::string file;  // that it was read from
  std::string model, target;
  std::string byoc, model_sha256;    // "": files of older versions do not say
  std::vector<std::string> options;  // the same
  SavedTimes times;
  FlashUse flash;
  RamUse ram;
  std::vector<SavedStep> steps;
};

// Errors: it is no JSON of that form.
[[nodiscard]] Result<SavedRun> read_saved_run(std::string_view text, const std::string& file, Diagnostics& diags);

}  // namespace byoc
