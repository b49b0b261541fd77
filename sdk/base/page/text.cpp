#include "sdk/base/page/text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "sdk/base/support/json.hpp"

namespace byoc::page {

namespace {

std::string in_groups(std::uint64_t value, std::string_view between) {
  std::string text = std::to_string(value);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, between);
  return text;
}

}  // namespace

std::string grouped(std::uint64_t value) { return in_groups(value, ","); }

std::string spaced(std::uint64_t value) { return in_groups(value, "\u202f"); }

std::string percent(double share) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", share);
  return text.data();
}

std::string largest_parts(std::vector<Part> parts) {
  constexpr std::size_t kFew = 4, kShown = 3;
  double whole = 0;
  for (const Part& p : parts) whole += static_cast<double>(p.amount);
  if (parts.size() < kFew || whole == 0) return {};
  std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.amount > b.amount; });
  std::string out;
  for (std::size_t i = 0; i < kShown; ++i)
    out +=
        (i == 0 ? "" : ", ") + parts[i].name + " " + percent(100 * static_cast<double>(parts[i].amount) / whole) + " %";
  return out;
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 4> kUnits = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return std::to_string(bytes) + " B";
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  return percent(value) + " " + kUnits[unit];
}

std::string cut(std::string_view text, std::size_t most) {
  std::size_t characters = 0, end = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0) == 0x80) continue;  // within a character
    if (++characters == most) end = i;
  }
  return characters <= most ? std::string(text) : std::string(text.substr(0, end)) + "…";
}

std::string short_name(std::string_view name, std::size_t most) {
  name = name.substr(0, name.find(';'));
  for (std::size_t slashes = 0, i = name.size(); i-- > 0;)
    if (name[i] == '/' && ++slashes == 2) {
      name.remove_prefix(i + 1);
      break;
    }
  return cut(name, most);
}

std::string short_node(std::string_view description, std::size_t most) {
  const std::size_t first = description.find('\''), last = description.rfind('\'');
  if (first == last) return cut(description, most);
  return std::string(description.substr(0, first)) + short_name(description.substr(first + 1, last - first - 1), most) +
         std::string(description.substr(last + 1));
}

}  // namespace byoc::page
