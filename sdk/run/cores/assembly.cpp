#include "sdk/run/cores/assembly.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace byoc {
namespace {

constexpr std::uint8_t kFirstOfFpu = 16;

struct RegisterRange {
  std::uint8_t first, count;
};

// The registers of a register's name.
std::optional<RegisterRange> range_of(std::string_view name) {
  constexpr std::pair<std::string_view, std::uint8_t> kNamed[] = {{"sb", 9},  {"sl", 10}, {"fp", 11}, {"ip", 12},
                                                                  {"sp", 13}, {"lr", 14}, {"pc", 15}};
  for (const auto& [text, number] : kNamed)
    if (name == text) return RegisterRange{number, 1};
  unsigned number = 0;
  if (name.size() < 2) return std::nullopt;
  const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size() || number > 31) return std::nullopt;
  const auto n = static_cast<std::uint8_t>(number);
  switch (name[0]) {
    case 'r': return n < 16 ? std::optional(RegisterRange{n, 1}) : std::nullopt;
    case 's': return RegisterRange{static_cast<std::uint8_t>(kFirstOfFpu + n), 1};
    case 'd': return RegisterRange{static_cast<std::uint8_t>(kFirstOfFpu + 2 * n), 2};
    case 'q': return RegisterRange{static_cast<std::uint8_t>(kFirstOfFpu + 4 * n), 4};
    default: return std::nullopt;
  }
}

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

}  // namespace

std::vector<std::string_view> split_operands(std::string_view operands) {
  std::vector<std::string_view> out;
  std::size_t start = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= operands.size(); ++i) {
    const char c = i < operands.size() ? operands[i] : ',';
    depth += (c == '[' || c == '{') - (c == ']' || c == '}');
    if (c != ',' || (depth > 0 && i < operands.size())) continue;
    while (start < i && operands[start] == ' ') ++start;
    if (i > start) out.push_back(operands.substr(start, i - start));
    start = i + 1;
  }
  return out;
}

unsigned words_of_list(std::string_view list) {
  const auto names = static_cast<unsigned>(std::count(list.begin(), list.end(), ',')) + 1;
  return list.starts_with("{d") ? 2 * names : names;
}

void add_registers(std::string_view text, std::vector<std::uint8_t>& registers) {
  std::optional<RegisterRange> last;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_word(text[i])) {
      if (text[i] != '-') last.reset();
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    std::optional<RegisterRange> range;
    if (i == 0 || text[i - 1] != '#') range = range_of(text.substr(i, end - i));
    if (range) {
      const bool to = last && text[i - 1] == '-';
      const unsigned first = to ? last->first + last->count : range->first;
      for (unsigned r = first; r < unsigned{range->first} + range->count; ++r)
        registers.push_back(static_cast<std::uint8_t>(r));
    }
    last = range;
    i = end;
  }
}

bool lists(std::string_view names, std::string_view name) {
  for (std::size_t at = names.find(name); at != std::string_view::npos; at = names.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || names[at - 1] == ' ') && (end == names.size() || names[end] == ' ')) return true;
  }
  return false;
}

}  // namespace byoc
