// byoc.Expect: the result is the input's bytes; a step looks at the numbers and fails where they are others.
#include <algorithm>

#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/move/movement.hpp"
#include "backends/c/lower/step/step_builder.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

namespace {

// True if the numbers differ in an allowed way: open positions are positive, and all others are as expected.
std::string other_numbers(const Node& node, const std::string& found) {
  const Dims expected = node.integers("expected", {}), open = node.integers("open", {});
  std::string kind, differs;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::string at = found + "[" + std::to_string(i) + "]", is = std::to_string(expected[i]);
    const bool is_open = open.empty() || std::count(open.begin(), open.end(), static_cast<std::int64_t>(i)) != 0;
    if (is_open) differs += (differs.empty() ? "" : " || ") + at + " != " + is;
    if (!open.empty()) kind += at + (is_open ? " > 0" : " == " + is) + " && ";
  }
  return differs.empty() || kind.empty() ? differs : kind + "(" + differs + ")";
}

// Each is one of two numbers, or does not matter.
std::string none_of(const Node& node, const std::string& found) {
  const Dims expected = node.integers("expected", {}), otherwise = node.integers("or", {}),
             any = node.integers("any", {});
  std::string out;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::count(any.begin(), any.end(), static_cast<std::int64_t>(i)) != 0) continue;
    const std::string at = found + "[" + std::to_string(i) + "] != ";
    std::string other = at + std::to_string(expected[i]);
    if (i < otherwise.size() && otherwise[i] != expected[i])
      other = "(" + other + " && " + at + std::to_string(otherwise[i]) + ")";
    out += (out.empty() ? "" : " || ") + other;
  }
  return out;
}

// Axes in any order; negative ones count from the end.
void check_axes(StepBuilder& step, const Dims& expected, std::int64_t rank, const std::string& found) {
  std::uint32_t axes = 0;
  for (const std::int64_t a : expected) axes |= std::uint32_t{1} << a;
  const std::string r = std::to_string(rank);
  step.line("uint32_t axes = 0;");
  step.line("for (int32_t i = 0; i < " + std::to_string(expected.size()) + "; ++i) {");
  step.line("  const int64_t axis = " + found + "[i] < 0 ? " + found + "[i] + " + r + " : " + found + "[i];");
  step.line("  if (axis < 0 || axis >= " + r + " || (axes >> axis & 1u) != 0) return 1;");
  step.line("  axes |= (uint32_t)1 << axis;");
  step.line("}");
  step.line("if (axes != " + std::to_string(axes) + "u) return 1;");
}

// The shape of a Reshape: one -1 for what the others leave, and 0 for a dim that stays.
void check_shape(StepBuilder& step, const Dims& expected, const Dims& from, const std::string& found) {
  const bool empty = std::count(expected.begin(), expected.end(), 0) != 0;
  step.line("int32_t open = 0;");
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::string at = found + "[" + std::to_string(i) + "]";
    const bool stays = i < from.size();
    std::string other = at + " != " + std::to_string(expected[i]);
    if (stays && from[i] == expected[i]) other += " && " + at + " != 0";
    if (stays && from[i] != expected[i] && expected[i] == 0) other += " || " + at + " == 0";
    if (empty)
      step.line("if (" + other + ") return 1;");
    else
      step.line("if (" + at + " == -1) ++open; else if (" + other + ") return 1;");
  }
  step.line("if (open > 1) return 1;");
}

void check_numbers(StepBuilder& step, const Node& node, const std::string& found) {
  const Dims expected = node.integers("expected", {});
  std::string other;
  if (node.find<std::int64_t>("rank") != nullptr) return check_axes(step, expected, node.integer("rank", 0), found);
  if (node.find<Dims>("from") != nullptr) return check_shape(step, expected, node.integers("from", {}), found);
  if (node.find<Dims>("or") != nullptr || node.find<Dims>("any") != nullptr)
    other = none_of(node, found);
  else
    other = other_numbers(node, found);
  if (!other.empty()) step.line("if (" + other + ") return 1;");
}

}  // namespace

codegen::Verdict accepts_expect(const Region& region, const Node& node, const TargetSpec&) {
  const Value &x = region.values[node.inputs[0]], &found = region.values[node.inputs[1]];
  if (found.dtype != DType::i32 && found.dtype != DType::i64) return refuse_dtype(found.dtype, "i32 or i64");
  if (found.is_constant)
    return refuse(Reason::unsupported_attribute, "found a constant, expected what only a run tells");
  if (static_cast<std::int64_t>(node.integers("expected", {}).size()) != found.elements())
    return refuse(Reason::unsupported_attribute, "found " + std::to_string(found.elements()) +
                                                     " numbers, expected as many as the attribute expected has");
  if (!same_quantisation(region, x, region.values[node.outputs[0]])) return refuse_quantisation();
  return claim();
}

bool lower_expect(Emitter& emitter, const Node& node) {
  StepBuilder step(emitter, node);
  const Value& y = emitter.value(node.outputs[0]);
  const std::string x = step.input(0), found = step.input(1), to = step.output(0);
  check_numbers(step, node, found);
  if (y.elements() != 0)
    step.line("if ((const void *)" + to + " != (const void *)" + x + ") memcpy(" + to + ", " + x + ", " +
              std::to_string(y.bytes()) + ");");
  step.may_fail(node.text("what", reason::kNumbers));
  step.text.includes.insert("<string.h>");
  step.overlay(0, 0);
  step.finish("expect");
  return true;
}

}  // namespace byoc::c
