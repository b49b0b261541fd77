// AveragePool and GlobalAveragePool on i8 and u8, of TFLite on i16 too.
#include "backends/c/lower/kernel_options.hpp"
#include "backends/c/lower/quantise/quantised.hpp"
#include "backends/c/lower/quantise/requantise.hpp"
#include "backends/c/lower/step/parameter_text.hpp"
#include "backends/layers/in_place.hpp"
#include "byoc/nodes/pool.hpp"
#include "byoc/nodes/quantised_layer.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;
using codegen::Verdict;

// The kernel that takes one channel at a time, in less code.
constexpr std::string_view kSmall = "_small";

std::string stem_of(DType dtype) {
  return dtype == DType::u8 ? "average_pool_u8" : dtype == DType::i16 ? "average_pool_s16" : "average_pool_s8";
}

}  // namespace

Verdict accepts_average_pool_quantised(const Region& region, const Node& node, const TargetSpec&) {
  const Value& x = region.values[node.inputs[0]];
  const Value& y = region.values[node.outputs[0]];
  if (auto no = refuse_activation(region, x, "input")) return *no;
  if (auto no = refuse_activation(region, y, "output")) return *no;
  // TFLite averages the integers; scales may differ by what its own check overlooks.
  if (region.requant == Requant::tflite && affine(x).zero != affine(y).zero)
    return refuse(Reason::unsupported_quantisation,
                  "found different quantisation of input and output, expected the same");
  if (region.requant == Requant::tflite && node.integer("count_include_pad", 0))
    return refuse(Reason::unsupported_attribute, "found count_include_pad 1 on i8 of TFLite, expected 0");
  Verdict why;
  return read_average_pool(region, node, why) ? claim() : why;
}

std::vector<KernelOption> average_pool_options(const LayerQuestion& q, const Node& node) {
  const Value& x = q.region.values[node.inputs[0]];
  Verdict why;
  if (!x.quantised()) return {};
  const auto pool = read_average_pool(q.region, node, why);
  if (!pool) return {};
  KernelOption o;
  o.kernel = stem_of(x.dtype);
  o.suffix = requant_suffix(q.region);
  const bool by_fours = pool->in.chan == 1 && pool->in.channels >= 4;
  o.way = by_fours ? "" : "one by one";
  o.work.rows = static_cast<double>(pool->out.batch * pool->out.height * pool->out.width);
  o.work.results = o.work.rows * static_cast<double>(pool->out.channels);
  o.work.starts = o.work.results * static_cast<double>(pool->window.kernel_h) / (by_fours ? 4 : 1);
  o.work.products = o.work.results * static_cast<double>(pool->window.kernel_h * pool->window.kernel_w);
  std::vector<KernelOption> out{o};
  if (q.target.has("mve") || q.objective != Objective::size) return out;
  o.kernel += kSmall;
  o.way = "";
  o.work.starts = o.work.results * static_cast<double>(pool->window.kernel_h);
  out.push_back(o);
  return out;
}

bool lower_average_pool_quantised(Emitter& emitter, const Node& node) {
  Verdict why;
  const auto pool = read_average_pool(emitter.region, node, why);
  if (!pool) return emitter.error(node, why.text);
  const Affine in = affine(*emitter.input(node, 0)), out = affine(emitter.value(node.outputs[0]));
  const Window& w = pool->window;
  codegen::Step step;
  step.nodes = {static_cast<codegen::NodeId>(&node - emitter.region.nodes.data())};
  step.symbol = emitter.host().claim("average_pool_" + std::to_string(step.nodes[0]));
  Kernel kernel = requant_kernel(emitter.region, "average_pool_s8");
  const DType dtype = emitter.input(node, 0)->dtype;
  if (dtype != DType::i8) kernel.defines["BYOC_IN"] = c_type(dtype);
  if (dtype == DType::i16) kernel.defines["BYOC_IN_BITS"] = "16";
  kernel.symbol = "byoc_" + stem_of(dtype) + std::string(requant_suffix(emitter.region));
  if (emitter.chosen(node).ends_with(kSmall)) {
    kernel.symbol += kSmall;
    kernel.defines["BYOC_SMALL"] = "1";
  }
  step.kernel = emitter.kernel(kernel);
  step.inputs = {{node.inputs[0]}};
  step.outputs = {{node.outputs[0]}};
  // All channels of a pixel are computed before the next pixel, each or four of them written at once.
  const auto bytes = static_cast<std::int64_t>(bit_width(dtype) / 8);
  if (const auto lead = window_lead(pool->in, pool->out, w, Reads::while_writing, bytes))
    step.overlays = {{0, 0, *lead}};
  ParameterText p;
  p.add("batch, channels", std::to_string(pool->in.batch) + ", " + std::to_string(pool->in.channels));
  for (const Image* m : {&pool->in, &pool->out}) {
    p.add(m == &pool->in ? "in_h, in_w" : "out_h, out_w", std::to_string(m->height) + ", " + std::to_string(m->width));
    p.add(m == &pool->in ? "in_batch, in_row, in_col, in_chan" : "out_batch, out_row, out_col, out_chan",
          std::to_string(m->batch_stride) + ", " + std::to_string(m->row) + ", " + std::to_string(m->col) + ", " +
              std::to_string(m->chan));
  }
  p.add("kernel", std::to_string(w.kernel_h) + ", " + std::to_string(w.kernel_w))
      .add("stride", std::to_string(w.stride_h) + ", " + std::to_string(w.stride_w))
      .add("pad", std::to_string(w.pad_top) + ", " + std::to_string(w.pad_left))
      .add("in_zero", in.zero)
      .add("zero", out.zero)
      .add("min", pool->clamp.low)
      .add("max", pool->clamp.high)
      .add("in_scale", c_float(in.scale))
      .add("out_scale", c_float(out.scale))
      .add("divisor", pool->divisor);
  StepText text;
  text.includes = {"byoc_average_pool_s8.h"};
  text.parameters = {p.definition("byoc_average_pool_s8_t", step.symbol + "_params")};
  text.body = "  " + step.kernel + "(&" + step.symbol + "_params, in0, out0);\n";
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace byoc::c
