#include "sdk/run/simulate/saved_run.hpp"

#include "sdk/base/support/file_kind.hpp"
#include "sdk/base/support/json.hpp"
#include "sdk/base/support/json_fields.hpp"

namespace byoc {
namespace {

std::optional<std::uint64_t> count_of(const Json& json, const char* key) {
  if (!json.contains(key) || json.at(key).is_null()) return std::nullopt;
  return whole_number(json.at(key));
}

SavedTimes times_of(const Json& json) {
  return {count_of(json, "cycles"), count_of(json, "instructions"), count_of(json, "nanoseconds")};
}

SavedStep saved_step(const Json& json) {
  const auto nodes = json.value("nodes", std::vector<std::string>());
  return {nodes.empty() ? json.at("symbol").get<std::string>() : nodes.front(), json.value("kernel", ""),
          times_of(json), number_or_0(json, "constant_bytes"), number_or_0(json, "live_bytes")};
}

// Throws what nlohmann throws where a field is missing or of another type.
SavedRun stated_run(const Json& json) {
  SavedRun out;
  out.model = json.at("model");
  out.target = json.at("target");
  out.byoc = json.value("byoc", "");
  out.model_sha256 = json.value("model_sha256", "");
  out.options = json.value("options", std::vector<std::string>());
  out.times = times_of(json);
  const Json &flash = json.at("flash"), &ram = json.at("ram");
  out.flash = {number_or_0(flash, "text"), number_or_0(flash, "rodata"), number_or_0(flash, "data"),
               number_or_0(flash, "weights")};
  out.ram = {number_or_0(ram, "workspace"), number_or_0(ram, "data"), number_or_0(ram, "bss"),
             number_or_0(ram, "stack")};
  for (const Json& step : json.at("steps")) out.steps.push_back(saved_step(step));
  return out;
}

}  // namespace

Result<SavedRun> read_saved_run(std::string_view text, const std::string& file, Diagnostics& diags) {
  try {
    SavedRun out = stated_run(parse_ordered_json(text));
    out.file = file;
    return out;
  } catch (const Json::exception& error) {
    const FileKind kind = kind_of_start(std::as_bytes(std::span(text)));
    return diags.error(file, {}, "is no saved run", kind == FileKind::json ? problem(error) : found_kind(kind),
                       "the .json that 'byoc run --stats' wrote");
  }
}

}  // namespace byoc
