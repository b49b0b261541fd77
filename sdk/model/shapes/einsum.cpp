// Einsum: the lengths of the labels that the output names.
#include <algorithm>
#include <map>

#include "sdk/model/shapes/rules.hpp"

namespace byoc::shapes {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

struct Lengths {
  std::map<char, ir::Dim> letters;
  std::map<char, int> seen;
  Dims dots;  // of the ellipsis, outermost first
};

// Two lengths of one label: 1 broadcasts, an open one gives way. False if they differ.
bool unify(ir::Dim& to, ir::Dim other) {
  if (to == other || other == 1) return true;
  if (to != 1 && is_known(to) && is_known(other)) return false;
  if (to == 1 || is_known(other)) to = other;
  return true;
}

Failure malformed(const Inference& call) {
  return call.error("the equation is not well formed or does not fit the inputs", call.node.text("equation", ""));
}

Result<void> take_term(const Inference& call, const std::string& term, std::size_t input, Lengths& lengths) {
  const Dims& dims = call.dims(input);
  const std::size_t letters = static_cast<std::size_t>(std::count_if(term.begin(), term.end(), is_letter));
  const bool has_dots = term.find("...") != std::string::npos;
  if (term.size() != letters + (has_dots ? 3 : 0) || dims.size() < letters || (!has_dots && dims.size() != letters))
    return malformed(call);
  std::size_t next = 0;
  for (std::size_t i = 0; i < term.size(); ++i) {
    if (is_letter(term[i])) {
      const auto [at, is_new] = lengths.letters.emplace(term[i], dims[next]);
      ++lengths.seen[term[i]];
      if (!is_new && !unify(at->second, dims[next])) return malformed(call);
      ++next;
      continue;
    }
    i += 2;
    const std::size_t own = dims.size() - letters;
    if (own > lengths.dots.size()) lengths.dots.insert(lengths.dots.begin(), own - lengths.dots.size(), 1);
    for (std::size_t d = 0; d < own; ++d)
      if (!unify(lengths.dots[lengths.dots.size() - own + d], dims[next + d])) return malformed(call);
    next += own;
  }
  return {};
}

}  // namespace

Result<void> einsum(const Inference& call) {
  std::string text = call.node.text("equation", "");
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  const std::size_t arrow = text.find("->");
  std::string left = text.substr(0, arrow) + ",";
  Lengths lengths;
  std::size_t input = 0;
  for (; !left.empty(); left.erase(0, left.find(',') + 1), ++input) {
    if (input >= call.node.inputs.size() || call.find(input) == nullptr) return malformed(call);
    if (!call.same_dtype(0, input) || !take_term(call, left.substr(0, left.find(',')), input, lengths)) return failure;
  }
  if (input != call.node.inputs.size()) return malformed(call);
  std::string output = arrow == std::string::npos ? "..." : text.substr(arrow + 2);
  if (arrow == std::string::npos)
    for (const auto& [letter, count] : lengths.seen)
      if (count == 1) output += letter;
  Dims dims;
  for (std::size_t i = 0; i < output.size(); ++i) {
    const auto at = lengths.letters.find(output[i]);
    if (at != lengths.letters.end() && output.find(output[i]) == i) {
      dims.push_back(at->second);
    } else if (output.compare(i, 3, "...") == 0 && output.find("...") == i) {
      dims.insert(dims.end(), lengths.dots.begin(), lengths.dots.end());
      i += 2;
    } else {
      return malformed(call);
    }
  }
  return call.set(0, call.in(0).dtype, std::move(dims));
}

}  // namespace byoc::shapes
