#include "sdk/base/support/json.hpp"

#include <nlohmann/json.hpp>

namespace byoc {
namespace {

template <class J>
std::string text_of_json(const J& value, int indent, bool ascii) {
  return value.dump(indent, ' ', ascii, J::error_handler_t::replace);
}

}  // namespace

SortedJson parse_json(std::string_view text) { return SortedJson::parse(text.begin(), text.end()); }

Json parse_ordered_json(std::string_view text) { return Json::parse(text.begin(), text.end()); }

SortedJson try_parse_json(std::string_view text) {
  return SortedJson::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
}

std::string json_text(const SortedJson& value, int indent) { return text_of_json(value, indent, false); }
std::string json_text(const Json& value, int indent) { return text_of_json(value, indent, false); }
std::string ascii_json_text(const SortedJson& value, int indent) { return text_of_json(value, indent, true); }
std::string ascii_json_text(const Json& value, int indent) { return text_of_json(value, indent, true); }

std::string json_escaped(std::string_view text) {
  const std::string quoted = json_text(SortedJson(text));
  return quoted.substr(1, quoted.size() - 2);
}

std::string utf8(std::string_view text) {
  return parse_json(ascii_json_text(SortedJson(std::string(text)))).get<std::string>();
}

}  // namespace byoc
