// Strings that are rows of bytes: TextCase, TextSplit.
#include <algorithm>
#include <iterator>
#include <limits>
#include <vector>

#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/select/select.hpp"
#include "backends/c/lower/step/step_builder.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

codegen::Verdict accepts_cells(const Region& region, const Node& node) {
  const Value& x = region.values[node.inputs[0]];
  if (x.dtype != DType::u8) return refuse_dtype(x.dtype, "u8");
  if (x.dims.empty() || x.dims.back() < 1)
    return refuse(Reason::unsupported_shape, "found " + shape_text(x) + ", expected rows of bytes");
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

// Capitals, and how far from each its small letter is; of a distance of 1 every second one is a capital. Source:
// UnicodeData.txt, simple case mappings of the Latin, Greek, Cyrillic and Armenian alphabets.
constexpr std::uint16_t kLetters[] = {
    0x41,  0x5a,  32, 0xc0,  0xd6,  32, 0xd8,  0xde,  32, 0x100,  0x12e,  1,  0x132,  0x136,  1,  0x139,  0x147,  1,
    0x14a, 0x176, 1,  0x179, 0x17d, 1,  0x386, 0x386, 38, 0x388,  0x38a,  37, 0x38c,  0x38c,  64, 0x38e,  0x38f,  63,
    0x391, 0x3a1, 32, 0x3a3, 0x3ab, 32, 0x400, 0x40f, 80, 0x410,  0x42f,  32, 0x460,  0x480,  1,  0x48a,  0x4be,  1,
    0x4c1, 0x4cd, 1,  0x4d0, 0x52e, 1,  0x531, 0x556, 48, 0x1e00, 0x1e94, 1,  0x1ea0, 0x1efe, 1,  0xff21, 0xff3a, 32,
};

}  // namespace

codegen::Verdict accepts_text_case(const Region& region, const Node& node, const TargetSpec&) {
  return accepts_cells(region, node);
}

bool lower_text_case(Emitter& emitter, const Node& node) {
  const Value& x = *emitter.input(node, 0);
  const std::string kernel = "byoc_text_case";
  StepBuilder step(emitter, node);
  if (x.elements() != 0) {
    emitter.kernel({"text_case.c", kernel, {}});
    step.text.includes.insert("byoc_text.h");
    step.text.declarations.insert("BYOC_TEXT_CASE(" + kernel + ");");
    const std::string letters = step.table<std::uint16_t>("letters", kLetters);
    ParameterText p;
    p.add("rows", x.elements() / x.dims.back()).add("size", x.dims.back());
    p.add("upper", node.integer("upper", 0) != 0 ? 1 : 0);
    p.add("ranges", static_cast<std::int64_t>(std::size(kLetters) / 3));
    step.line(kernel + "(" + step.parameters("byoc_text_case_t", p) + ", " + letters + ", " + step.input(0) + ", " +
              step.output(0) + ");");
  }
  step.finish(kernel);
  return true;
}

codegen::Verdict accepts_text_split(const Region& region, const Node& node, const TargetSpec&) {
  return accepts_cells(region, node);
}

bool lower_text_split(Emitter& emitter, const Node& node) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  const Value& x = *emitter.input(node, 0);
  const std::string kernel = "byoc_text_split", delimiter = node.text("delimiter", "");
  const std::int64_t room = node.integer("pieces", 1);
  StepBuilder step(emitter, node);
  emitter.kernel({"text_split.c", kernel, {}});
  step.text.includes.insert("byoc_text.h");
  step.text.declarations.insert("BYOC_TEXT_SPLIT(" + kernel + ");");
  std::string bytes = "NULL";
  if (!delimiter.empty()) {
    const std::vector<std::uint8_t> table(delimiter.begin(), delimiter.end());
    bytes = step.table<std::uint8_t>("delimiter", table);
  }
  ParameterText p;
  p.add("rows", x.elements() / x.dims.back()).add("size", x.dims.back()).add("room", room);
  p.add("cuts", std::clamp<std::int64_t>(node.integer("maxsplit", kMost), 0, kMost));
  p.add("length", static_cast<std::int64_t>(delimiter.size()));
  const std::string call = kernel + "(" + step.parameters("byoc_text_split_t", p) + ", " + bytes + ", " +
                           step.input(0) + ", " + wanted_output(step, node, 0) + ", " + wanted_output(step, node, 1) +
                           ")";
  if (node.outputs[0] == codegen::kNoValue)
    step.line("(void)" + call + ";");
  else
    take_count(step, node, 2, call, room);
  step.finish(kernel);
  return true;
}

}  // namespace byoc::c
