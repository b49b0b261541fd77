#include "sdk/model/lift/movement.hpp"

#include <array>

#include "sdk/model/evaluate/window.hpp"
#include "sdk/model/ir/operators.hpp"
#include "sdk/model/lift/rewriter.hpp"

namespace byoc::lift {
namespace {

// A float Pad that fills with zero becomes a Pad of integers that fills with the zero point, which is what a
// quantised Pad does. Integers that are padded as they are stay so.
bool fills_with_zero(const ir::Graph& graph, const ir::Node& pad) {
  if (pad.text("mode", "constant") != "constant") return true;
  if (graph.values[pad.inputs[0]].type.dtype != DType::f32) return false;
  if (pad.input(2) == ir::kNoValue) return true;
  const auto value = floats(graph, pad.input(2));
  return value && value->size() == 1 && (*value)[0] == 0;
}

// A Resize that gives every output element an input element, and nothing else.
bool picks_elements(const ir::Graph&, const ir::Node& resize) {
  return resize.text("mode", "nearest") == "nearest" &&
         resize.text("coordinate_transformation_mode", "half_pixel") != "tf_crop_and_resize";
}

// True if each of `out` windows has an element: the last starts before the end, the first reaches the beginning, and
// no two taps have all elements between them.
bool windows_have_elements(const evaluate::WindowAxis& a, std::int64_t out, std::int64_t length) {
  return (out - 1) * a.stride - a.pad_begin < length && a.pad_begin <= (a.kernel - 1) * a.dilation &&
         (a.pad_begin == 0 || a.dilation <= length);
}

// True if every window of a MaxPool has an element. The maximum of padding alone is minus infinity, which no integer
// represents. Unknown lengths are assumed to be large.
bool windows_have_elements(const ir::Graph& graph, const ir::Node& pool) {
  const auto* kernel = pool.find<std::vector<std::int64_t>>("kernel_shape");
  const auto &in = graph.values[pool.inputs[0]].type.dims, &out = graph.values[pool.outputs[0]].type.dims;
  if (kernel == nullptr || !in || !out || in->size() != kernel->size() + 2 || out->size() != in->size()) return true;
  Diagnostics ignored;
  const auto axes = evaluate::read_window(graph, pool, *kernel, ignored);
  const std::size_t first = pool.text("data_layout", "NCHW") == "NCHW" ? 2 : 1;
  for (std::size_t d = 0; axes && d < axes->size(); ++d) {
    const ir::Dim length = (*in)[first + d], windows = (*out)[first + d];
    if (!ir::is_open(length) && !ir::is_open(windows) && !windows_have_elements((*axes)[d], windows, length))
      return false;
  }
  return true;
}

// The position of a maximum is no element.
bool chooses_elements(const ir::Graph& graph, const ir::Node& pool) {
  const bool says_where = pool.outputs.size() > 1 && pool.outputs[1] != ir::kNoValue;
  return !says_where && windows_have_elements(graph, pool);
}

// Operators that move elements in some forms.
struct SometimesMoves {
  std::string_view op;
  bool (*moves)(const ir::Graph&, const ir::Node&);
};
constexpr std::array<SometimesMoves, 4> kSometimesMove = {
    {{"GlobalMaxPool", [](const ir::Graph&, const ir::Node&) { return true; }},
     {"MaxPool", chooses_elements},
     {"Pad", fills_with_zero},
     {"Resize", picks_elements}}};

}  // namespace

std::size_t moved_inputs(const ir::Graph& graph, const ir::Node& node) {
  const ir::Operator* op = ir::find_operator(node.domain, node.op);
  if (op == nullptr || node.inputs.empty()) return 0;
  if (op->has(ir::kMoves)) return op->arity.most_inputs == ir::kAny ? node.inputs.size() : 1;
  for (const SometimesMoves& s : kSometimesMove)
    if (node.is("", s.op)) return s.moves(graph, node) ? 1 : 0;
  return 0;
}

}  // namespace byoc::lift
