// JSON text is parsed and written here and nowhere else: the parser and the writer of nlohmann are large templates,
// which each unit that called them would compile again.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace byoc {

using Json = nlohmann::ordered_json;  // keys in the order in which they were put in: what people read
using SortedJson = nlohmann::json;    // keys sorted

// The value that `text` states, keys sorted; throws nlohmann::json::exception where the text is not JSON.
[[nodiscard]] SortedJson parse_json(std::string_view text);
// The value that `text` states, keys in the order of the text; throws as parse_json() does.
[[nodiscard]] Json parse_ordered_json(std::string_view text);
// As parse_json(), but gives a discarded value (is_discarded()) where the text is not JSON.
[[nodiscard]] SortedJson try_parse_json(std::string_view text);

// `value` as text: on one line with an indent of -1, else indented. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string json_text(const SortedJson& value, int indent = -1);
[[nodiscard]] std::string json_text(const Json& value, int indent = -1);
// As json_text(), with an escape for each character beyond ASCII.
[[nodiscard]] std::string ascii_json_text(const SortedJson& value, int indent = -1);
[[nodiscard]] std::string ascii_json_text(const Json& value, int indent = -1);

// `text` as JSON's strings spell it, without their quotes.
[[nodiscard]] std::string json_escaped(std::string_view text);
// `text` as UTF-8: names of models may be any bytes; those that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string utf8(std::string_view text);

}  // namespace byoc
