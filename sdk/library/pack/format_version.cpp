#include "sdk/library/pack/format_version.hpp"

#include "sdk/base/support/json.hpp"

namespace byoc {

Result<void> bring_up_to_date(Json& document, const JsonFormat& format, const std::string& file, Diagnostics& diags) {
  const Json& said = document.at("format");
  const std::string known = format.newest() == 1 ? "1" : "1 to " + std::to_string(format.newest());
  if (!said.is_number_unsigned() || said == 0)
    return diags.error(file, {}, std::string("not a version of the ") + format.what, json_text(said), known);
  const auto version = said.get<std::size_t>();
  if (version > format.newest())
    return diags.error(file, {}, std::string("a newer byoc wrote this version of the ") + format.what,
                       std::to_string(version), known);
  for (std::size_t v = version; v < format.newest(); ++v) format.upgrades[v - 1](document);
  document["format"] = format.newest();
  return {};
}

}  // namespace byoc
