#include "sdk/plugin/artifact_rules.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

namespace byoc::plugin {
namespace {

constexpr const char* kStandards[] = {"", "c99", "c11", "c17", "gnu99", "gnu11", "gnu17"};

}  // namespace

bool is_file_name(const std::string& s, bool folders) {
  if (s.empty() || s.size() > 255 || s.front() == '/' || s.front() == '.' || s.find("..") != std::string::npos)
    return false;
  return std::all_of(s.begin(), s.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.' || c == '+' || (folders && c == '/');
  });
}

bool is_standard(const std::string& name) {
  return std::find(std::begin(kStandards), std::end(kStandards), name) != std::end(kStandards);
}

std::optional<BrokenRule> check_arrangement(const codegen::Arrangement& how, std::uint64_t source_bytes) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;
  if (how.element_size == 0 || how.element_size > 8 || !std::has_single_bit(how.element_size))
    return BrokenRule{"has elements of a size that there is not", std::to_string(how.element_size) + " bytes",
                      "1, 2, 4 or 8"};
  // Greatest index along each axis; numbers beyond 64 bits are beyond every bound here.
  std::vector<std::uint64_t> greatest(how.axes.size(), 0);
  std::uint64_t bytes = how.element_size;
  bool fits = true, empty = false;
  for (const codegen::Arrangement::Loop& l : how.loops) {
    if (l.axis >= how.axes.size())
      return BrokenRule{"has a loop over an axis that does not exist", std::to_string(l.axis),
                        "less than " + std::to_string(how.axes.size())};
    std::uint64_t last = 0;
    empty = empty || l.count == 0;
    fits = fits && !__builtin_mul_overflow(bytes, l.count, &bytes) &&
           !__builtin_mul_overflow(l.count == 0 ? 0 : l.count - 1, l.step, &last) &&
           !__builtin_add_overflow(greatest[l.axis], last, &greatest[l.axis]);
  }
  if (!empty && (!fits || bytes > kMostBytes))
    return BrokenRule{"makes too much", fits ? std::to_string(bytes) + " bytes" : "2^64 bytes or more",
                      "at most 2^40 bytes"};
  const bool reads =
      !empty && std::none_of(how.axes.begin(), how.axes.end(), [](const auto& a) { return a.extent == 0; });
  if (!reads) return std::nullopt;
  std::uint64_t last = how.offset;
  for (std::size_t i = 0; i < how.axes.size(); ++i) {
    std::uint64_t along = 0;
    fits = fits && !__builtin_mul_overflow(std::min(greatest[i], how.axes[i].extent - 1), how.axes[i].stride, &along) &&
           !__builtin_add_overflow(last, along, &last);
  }
  const std::uint64_t elements = source_bytes / how.element_size;
  if (fits && last < elements) return std::nullopt;
  return BrokenRule{"reaches past the end of the constant", fits ? "element " + std::to_string(last) : "2^64 or more",
                    "less than " + std::to_string(elements)};
}

}  // namespace byoc::plugin
