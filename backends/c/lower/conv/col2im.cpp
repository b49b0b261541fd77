// Col2Im.
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/move/movement.hpp"
#include "backends/c/lower/step/element_type.hpp"
#include "backends/c/lower/step/step_builder.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

struct Blocks {
  Dims image, block, dilation, stride, pad, steps;
};

std::optional<Blocks> read_col2im(const Region& region, const Node& node, std::string& why) {
  const auto image = constant_integers(region, node, 1), block = constant_integers(region, node, 2);
  if (!image || !block) {
    why = "found a computed image_shape or block_shape, expected i64 or i32 constants";
    return std::nullopt;
  }
  const std::size_t rank = image->size();
  Blocks b{*image,
           *block,
           node.integers("dilations", Dims(rank, 1)),
           node.integers("strides", Dims(rank, 1)),
           node.integers("pads", Dims(2 * rank, 0)),
           {}};
  if (rank == 0 || rank > kLoopRank || b.block.size() != rank || b.dilation.size() != rank || b.stride.size() != rank ||
      b.pad.size() != 2 * rank) {
    why = "found image_shape, block_shape, dilations, strides and pads that do not fit, expected 1 to " +
          std::to_string(kLoopRank) + " dims";
    return std::nullopt;
  }
  for (std::size_t d = 0; d < rank; ++d) {
    if (b.stride[d] < 1 || b.block[d] < 1 || b.dilation[d] < 1) {
      why = "found a block, stride or dilation that is not positive";
      return std::nullopt;
    }
    const std::int64_t room = b.image[d] + b.pad[d] + b.pad[d + rank] - (b.dilation[d] * (b.block[d] - 1) + 1);
    b.steps.push_back(room < 0 ? 0 : room / b.stride[d] + 1);
  }
  return b;
}

}  // namespace

codegen::Verdict accepts_col2im(const Region& region, const Node& node, const TargetSpec&) {
  const Value& x = region.values[node.inputs[0]];
  std::string why;
  if (!is_float_type(x.dtype) && !is_integer_type(x.dtype)) return refuse_dtype(x.dtype, "a number");
  if (x.quantised()) return refuse(Reason::unsupported_quantisation, "found quantised values, expected a plain tensor");
  if (!read_col2im(region, node, why)) return refuse(Reason::unsupported_attribute, why);
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_col2im(Emitter& emitter, const Node& node) {
  std::string why;
  const auto b = read_col2im(emitter.region, node, why);
  if (!b) return emitter.error(node, why);
  const Value& y = emitter.value(node.outputs[0]);
  const ElementType t = *element_type(y.dtype);
  StepBuilder step(emitter, node);
  Kernel kernel{"col2im.c", "byoc_col2im_" + std::string(to_string(y.dtype)), {}};
  if (y.elements() != 0) {
    const bool direct = t.load.empty();
    define_element(kernel, "BYOC_X", y.dtype);
    define_arithmetic(kernel, y.dtype);
    kernel.defines["BYOC_ADD(a, b)"] = t.is_float() ? "((a) + (b))" : "BYOC_WRAP(a, +, b)";
    if (direct) kernel.defines["BYOC_DIRECT"] = "1";
    emitter.kernel(kernel);
    const auto padded = [](Dims list) {
      list.resize(kLoopRank, 0);
      return list;
    };
    std::int64_t area = 1;
    for (const std::int64_t d : b->image) area *= d;
    Dims pad(b->pad.begin(), b->pad.begin() + static_cast<std::ptrdiff_t>(b->image.size()));
    ParameterText p;
    p.add("planes", y.dims[0] * y.dims[1]).add("area", area).add("rank", static_cast<std::int64_t>(b->image.size()));
    p.add("image", padded(b->image)).add("block", padded(b->block)).add("dilation", padded(b->dilation));
    p.add("stride", padded(b->stride)).add("pad", padded(pad)).add("steps", padded(b->steps));
    step.text.includes.insert("byoc_col2im.h");
    step.text.declarations.insert("BYOC_COL2IM(" + kernel.symbol + ", " + std::string(t.storage) + ");");
    const std::string x = emitter.input(node, 0)->elements() == 0 ? "NULL" : step.input(0);
    const std::string sums = direct ? "NULL" : step.workspace(static_cast<std::uint64_t>(area) * 4, 4);
    step.line(kernel.symbol + "(" + step.parameters("byoc_col2im_t", p) + ", " + x + ", " + step.output(0) + ", " +
              sums + ");");
  }
  step.finish(kernel.symbol);
  return true;
}

}  // namespace byoc::c
