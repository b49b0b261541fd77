// MaxPool, AveragePool and their global forms on floats.
#include "backends/llvm/kernels/pool.hpp"

#include <optional>

#include "backends/llvm/lower/lowerings.hpp"
#include "backends/llvm/lower/reals.hpp"
#include "byoc/nodes/spatial.hpp"
#include "byoc/nodes/verdict.hpp"

namespace byoc::bitcode {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;

// Elements that are added one after the other: the c backend adds larger windows in blocks.
constexpr std::int64_t kMostSummed = 4096;

bool is_global(const Node& node) { return node.op.starts_with("Global"); }

std::optional<Pool> read_pool(const Region& region, const Node& node, std::string& why) {
  const auto s = nodes::read_spatial(region, node, is_global(node), why);
  if (!s) return std::nullopt;
  if (s->in[0] != 1 || s->out[0] != 1 || s->kernel[0] != 1 || s->pad[0] != 0) {
    why = "found three spatial dims, expected one or two";
    return std::nullopt;
  }
  if (s->dilation != nodes::Dims3{1, 1, 1}) {
    why = "found dilations, expected none";
    return std::nullopt;
  }
  const bool is_max = node.op.ends_with("MaxPool");
  if (!is_max && s->kernel[1] * s->kernel[2] > kMostSummed) {
    why = "found a window of " + std::to_string(s->kernel[1] * s->kernel[2]) + " elements, expected at most " +
          std::to_string(kMostSummed) + " that one sum of floats takes";
    return std::nullopt;
  }
  const auto bounds = nodes::activation_bounds(node);
  if (!bounds) {
    why = "found activation " + node.text("activation", "");
    return std::nullopt;
  }
  Pool p;
  p.is_max = is_max;
  p.counts_pads = node.integer("count_include_pad", 0) != 0;
  p.images = s->channels_last ? s->batch : s->batch * s->in_channels;
  p.channels = s->channels_last ? s->in_channels : 1;
  p.in_rows = s->in[1], p.in_cols = s->in[2], p.rows = s->out[1], p.cols = s->out[2];
  p.kernel_h = s->kernel[1], p.kernel_w = s->kernel[2], p.stride_h = s->stride[1], p.stride_w = s->stride[2];
  p.top = s->pad[1], p.left = s->pad[2], p.bottom = s->pad_end[1], p.right = s->pad_end[2];
  p.bounds = *bounds;
  p.real = real_of(region.values[node.outputs[0]]);
  // Every window meets the image: the first and the last do.
  const bool first = p.top < p.kernel_h && p.left < p.kernel_w;
  const bool last = (p.rows - 1) * p.stride_h - p.top < p.in_rows && (p.cols - 1) * p.stride_w - p.left < p.in_cols;
  if (!first || !last) {
    why = "found a window in the padding alone";
    return std::nullopt;
  }
  return p;
}

}  // namespace

codegen::Verdict accepts_pool(const Region& region, const Node& node) {
  std::string why;
  return read_pool(region, node, why) ? nodes::claim() : nodes::refuse(Reason::unsupported_attribute, why);
}

bool lower_pool(Emitter& emitter, const Node& node) {
  std::string why;
  auto p = read_pool(emitter.region, node, why);
  if (!p) return emitter.error(node, why);
  const std::int64_t pieces = pieces_of(*p), window = p->kernel_h * p->kernel_w;
  p->by_range =
      emitter.is_shared(Emitter::Work::elements, p->images * p->rows * p->cols * p->channels * window, pieces);
  codegen::Step step;
  step.inputs = {{node.inputs[0]}};
  step.outputs = {{node.outputs[0]}};
  emitter.step(node, std::move(step),
               {{emitter.modules().kernel("pool", key_of(*p),
                                          [&](Code& code, const std::string& symbol) { write_pool(code, symbol, *p); }),
                 {input(0), output(0)},
                 p->by_range ? pieces : 0}});
  return true;
}

}  // namespace byoc::bitcode
