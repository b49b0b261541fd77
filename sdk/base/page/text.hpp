// Figures and names as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace byoc::page {

// 1234567 -> "1,234,567".
[[nodiscard]] std::string grouped(std::uint64_t value);
// As grouped(), for pages: narrow spaces between the groups, at which no line breaks (U+202F).
[[nodiscard]] std::string spaced(std::uint64_t value);
// "12.5"; one digit behind the point.
[[nodiscard]] std::string percent(double share);
// "conv_0 40.1 %, conv_2 20.0 %, dense 9.9 %": the three largest parts of a whole; "" where it has fewer than four,
// whose shares everybody sees, or is 0.
struct Part {
  std::string name;
  std::uint64_t amount = 0;
};
[[nodiscard]] std::string largest_parts(std::vector<Part> parts);
// 1536 -> "1.5 KiB"; below 1 KiB "512 B".
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);
// The end of a name that converters made of many ("a/b/c;a/b/d" -> "b/c"), in at most `most` characters.
[[nodiscard]] std::string short_name(std::string_view name, std::size_t most);
// Shortens the description of a node to about `most` characters: "Conv 'a/b/c;a/b/d' (#3)" -> "Conv b/c (#3)".
[[nodiscard]] std::string short_node(std::string_view description, std::size_t most);
// The first `most` characters at most; the last one is "…" if something is missing.
[[nodiscard]] std::string cut(std::string_view text, std::size_t most);

}  // namespace byoc::page
