#include "sdk/app/cli/profile_log.hpp"

#include <optional>
#include <sstream>

namespace byoc::cli {
namespace {

constexpr std::string_view kStart = "byoc-profile ", kStep = "byoc-step ", kEnd = "byoc-end";

// The text behind `mark` on the line; nullopt if there is no mark.
std::optional<std::string> behind(const std::string& line, std::string_view mark) {
  const std::size_t at = line.find(mark);
  if (at == std::string::npos) return std::nullopt;
  std::string rest = line.substr(at + mark.size());
  if (rest.ends_with('\r')) rest.pop_back();
  return rest;
}

}  // namespace

Result<ProfileLog> read_profile_log(std::string_view text, const std::string& model, const std::string& file,
                                    Diagnostics& diags) {
  ProfileLog whole;
  std::optional<ProfileLog> open;
  std::size_t steps = 0, broken = 0;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (const auto start = behind(line, kStart)) {
      broken += open ? 1 : 0;
      int version = 0;
      open.emplace();
      std::istringstream words(*start);
      if (!(words >> version >> open->model >> steps >> open->unit) || version != 1)
        return diags.error(file, {}, "a profile of another format", "'" + *start + "'",
                           "byoc-profile 1 MODEL STEPS UNIT");
      if (open->unit != "cycles" && open->unit != "instructions" && open->unit != "nanoseconds")
        return diags.error(file, open->model, "a profile in another unit", "'" + open->unit + "'",
                           "cycles, instructions or nanoseconds");
      if (open->model != model) open.reset();
    } else if (const auto step = behind(line, kStep); step && open) {
      std::size_t index = 0;
      std::uint64_t count = 0;
      std::string symbol;
      std::istringstream words(*step);
      if (!(words >> index >> count >> symbol) || index != open->counts.size()) {
        ++broken;
        open.reset();
        continue;
      }
      open->counts.push_back(count);
      open->symbols.push_back(symbol);
    } else if (behind(line, kEnd) && open) {
      if (open->counts.size() == steps) {
        open->runs = whole.runs + 1;
        whole = std::move(*open);
      } else {
        ++broken;
      }
      open.reset();
    }
  }
  if (whole.runs == 0)
    return diags.error(file, model, "has no whole profile of this model",
                       broken != 0 ? "lines are missing or damaged" : "", "what byoc_profile_print() prints");
  return whole;
}

}  // namespace byoc::cli
