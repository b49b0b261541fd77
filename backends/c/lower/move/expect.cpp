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

// Whether the numbers are other ones of their kind: where some positions are open, those are positive and the rest is
// as expected.
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

}  // namespace

codegen::Verdict accepts_expect(const Region& region, const Node& node, const TargetSpec&) {
  const Value &x = region.values[node.inputs[0]], &found = region.values[node.inputs[1]];
  if (found.dtype != DType::i32 && found.dtype != DType::i64) return refuse_dtype(found.dtype, "i32 or i64");
  if (found.is_constant || x.is_constant)
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
  const std::string other = other_numbers(node, found);
  if (!other.empty()) step.line("if (" + other + ") return 1;");
  if (y.elements() != 0)
    step.line("if ((const void *)" + to + " != (const void *)" + x + ") memcpy(" + to + ", " + x + ", " +
              std::to_string(y.bytes()) + ");");
  step.text.includes.insert("<string.h>");
  step.overlay(0, 0);
  step.finish("expect");
  return true;
}

}  // namespace byoc::c
