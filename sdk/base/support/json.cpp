#include "sdk/base/support/json.hpp"

#include <nlohmann/json.hpp>

#include "sdk/base/support/visible.hpp"

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
  const std::string quoted = json_text(SortedJson(text));  // UTF-8, without controls below a space
  // Characters without a shape have 16 bits at most.
  return with_shapes({quoted.data() + 1, quoted.size() - 2}, [](std::uint32_t code, std::string_view) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string out = "\\u";
    for (unsigned shift = 16; shift != 0; shift -= 4) out += kDigits[code >> (shift - 4) & 15U];
    return out;
  });
}

std::string utf8(std::string_view text) {
  return parse_json(ascii_json_text(SortedJson(std::string(text)))).get<std::string>();
}

}  // namespace byoc
