#include "backends/c/lower/step/parameter_text.hpp"

#include <algorithm>
#include <cassert>
#include <map>
#include <utility>

#include "backends/c/kernels.hpp"

namespace byoc::c {
namespace {

// The parts of a list that stand between commas outside of brackets.
std::size_t count_values(std::string_view text) {
  std::size_t count = 1;
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' || c == '{' ? 1 : c == ')' || c == '}' ? -1 : 0;
    if (c == ',' && depth == 0) ++count;
  }
  return count;
}

std::string without_comments(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = std::min(text.find("/*", at), text.size());
    out += text.substr(at, begin - at);
    const std::size_t end = text.find("*/", begin);
    at = end == std::string_view::npos ? text.size() : end + 2;
  }
  return out;
}

bool is_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

// "const int32_t* a, b[4]" declares a and b.
void add_names(std::string_view declaration, std::vector<std::string>& out) {
  std::size_t at = 0;
  while (at < declaration.size()) {
    std::size_t end = std::min(declaration.find(',', at), declaration.size());
    std::string_view one = declaration.substr(at, end - at);
    one = one.substr(0, std::min(one.find('['), one.size()));
    while (!one.empty() && !is_name(one.back())) one.remove_suffix(1);
    std::size_t begin = one.size();
    while (begin > 0 && is_name(one[begin - 1])) --begin;
    if (begin < one.size()) out.emplace_back(one.substr(begin));
    at = end + 1;
  }
}

using Structs = std::map<std::string, std::vector<std::string>, std::less<>>;

// typedef struct ... { members } name;
void add_structs(std::string_view header, Structs& out) {
  const std::string text = without_comments(header);
  constexpr std::string_view kTypedef = "typedef struct ";
  for (std::size_t at = text.find(kTypedef); at != std::string::npos; at = text.find(kTypedef, at + 1)) {
    const std::size_t begin = text.find('{', at), end = text.find('}', begin), semicolon = text.find(';', end);
    if (semicolon == std::string::npos) return;
    std::vector<std::string> names;
    add_names(std::string_view(text).substr(end + 1, semicolon - end - 1), names);
    if (names.empty()) continue;
    std::vector<std::string>& members = out[names.back()];
    for (std::size_t from = begin + 1, to = text.find(';', from); to < end; from = to + 1, to = text.find(';', from))
      add_names(std::string_view(text).substr(from, to - from), members);
  }
}

const Structs& kernel_structs() {
  static const Structs known = [] {
    Structs out;
    for (const auto& [name, text] : all_kernel_files())
      if (name.ends_with(".h")) add_structs(text, out);
    return out;
  }();
  return known;
}

}  // namespace

std::string misplaced_member(std::string_view type, std::span<const GivenMembers> given) {
  const auto found = kernel_structs().find(type);
  const std::string who = std::string(type) + ": ";
  if (found == kernel_structs().end()) return who + "no struct of kernels/";
  const std::vector<std::string>& members = found->second;
  std::size_t at = 0;
  for (const GivenMembers& g : given) {
    std::vector<std::string> names;
    add_names(g.names, names);
    const bool beginning = names.size() == 1 && g.values > 1;
    if (!beginning && names.size() != g.values)
      return who + "'" + g.names + "' has " + std::to_string(g.values) + " values";
    for (std::size_t i = 0; i < g.values; ++i, ++at) {
      if (at >= members.size()) return who + "found " + g.names + " behind its last member";
      const std::string& wanted = names[beginning ? 0 : i];
      if (beginning ? !members[at].starts_with(wanted + "_") : members[at] != wanted)
        return who + "found " + wanted + " where " + members[at] + " is";
    }
  }
  return at == members.size() ? "" : who + members[at] + " is missing";
}

ParameterText& ParameterText::add(std::string_view field, std::string_view text) {
  text_ += (text_.empty() ? "" : ",") + std::string("\n    ") + std::string(text) + " /* " + std::string(field) + " */";
  given_.push_back({std::string(field), count_values(text)});
  return *this;
}

std::string ParameterText::nested(std::string_view type) const {
  assert(misplaced_member(type, given_).empty());
  return "{" + text_ + "}";
}

Definition ParameterText::definition(std::string_view type, std::string_view name) const {
  return {std::string(type), std::string(name), nested(type)};
}

}  // namespace byoc::c
