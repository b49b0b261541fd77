// ConvTranspose, and DeformConv.
#include <algorithm>

#include "sdk/model/shapes/rules.hpp"
#include "sdk/model/shapes/spatial.hpp"

namespace byoc::shapes {
namespace {

using evaluate::WindowAxis;

struct Transposed {
  std::vector<WindowAxis> axes;
  Dims extra;  // output_padding
};

// The length of the result without pads and extra elements. False: too long for any tensor.
bool spread(std::int64_t size, const WindowAxis& a, std::int64_t& out) {
  std::int64_t steps = 0;
  return !__builtin_mul_overflow(std::max<std::int64_t>(size - 1, 0), a.stride, &steps) &&
         !__builtin_add_overflow(steps, (a.kernel - 1) * a.dilation + 1, &out);
}

// A result of `wanted` elements: the surplus becomes pads, what is missing becomes elements at the end that only the
// bias reaches.
void fit(WindowAxis& a, std::int64_t& extra, std::int64_t natural, std::int64_t wanted, bool more_at_end) {
  const std::int64_t total = std::max<std::int64_t>(natural + extra - wanted, 0);
  a.pad_begin = more_at_end ? total / 2 : total - total / 2;
  a.pad_end = total - a.pad_begin;
  extra = wanted - (natural - total);
}

// Turns auto_pad and output_shape into pads and output_padding.
Result<bool> resolve(const Inference& call, const Dims& sizes, Transposed& t) {
  const std::string mode = call.node.text("auto_pad", "NOTSET");
  if (mode != "NOTSET" && mode != "VALID" && mode != "SAME_UPPER" && mode != "SAME_LOWER")
    return call.error("unknown auto_pad", mode, "NOTSET, VALID, SAME_UPPER or SAME_LOWER");
  const auto* shape = call.node.find<Dims>("output_shape");
  // Some tools write all dims of the result.
  const std::size_t skip = shape != nullptr && shape->size() == sizes.size() + 2 ? 2 : 0;
  if (shape != nullptr && shape->size() != sizes.size() + skip)
    return call.error("attribute output_shape has the wrong length", std::to_string(shape->size()),
                      std::to_string(sizes.size()));
  const bool same = mode == "SAME_UPPER" || mode == "SAME_LOWER";
  if (shape == nullptr && !same) return true;
  if (!all_known(sizes)) return false;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    WindowAxis& a = t.axes[i];
    std::int64_t natural = 0, wanted = 0;
    if (!spread(sizes[i], a, natural) || __builtin_mul_overflow(sizes[i], a.stride, &wanted))
      return call.error("the result is too large", call.text(sizes));
    if (shape != nullptr) wanted = (*shape)[i + skip];
    if (wanted < 1 || wanted > (std::int64_t{1} << 31))
      return call.error("attribute output_shape is out of range", std::to_string(wanted), "at least 1");
    fit(a, t.extra[i], natural, wanted, mode == "SAME_UPPER");
  }
  return true;
}

Result<Transposed> read(const Inference& call, const Dims& kernel) {
  Result<std::vector<WindowAxis>> axes = evaluate::read_window(call.graph, call.node, kernel, call.diags);
  if (!axes) return failure;
  Transposed t{std::move(*axes), call.node.integers("output_padding", Dims(kernel.size(), 0))};
  if (t.extra.size() != kernel.size())
    return call.error("attribute output_padding has the wrong length", std::to_string(t.extra.size()),
                      std::to_string(kernel.size()));
  for (const std::int64_t e : t.extra)
    if (e < 0 || e > (std::int64_t{1} << 31))
      return call.error("attribute output_padding is out of range", std::to_string(e), "0 or more, below 2^31");
  return t;
}

// `first`: the first spatial dim of the filter.
Result<Dims> kernel_of(const Inference& call, std::size_t w, std::ptrdiff_t first = 2) {
  Dims kernel(call.dims(w).begin() + first, call.dims(w).end() - (2 - first));
  if (const auto* stated = call.node.find<Dims>("kernel_shape")) {
    bool same = stated->size() == kernel.size();
    for (std::size_t i = 0; same && i < kernel.size(); ++i) same = !is_known(kernel[i]) || kernel[i] == (*stated)[i];
    if (!same) return call.error("kernel_shape is not the filter's", call.text(*stated), call.text(kernel));
    kernel = *stated;
  }
  if (!all_known(kernel)) return call.error("the kernel's size is open", call.text(w));
  return kernel;
}

Result<void> check_vector(const Inference& call, std::size_t i, ir::Dim length) {
  if (call.find(i) == nullptr) return {};
  const bool quantised = call.in(0).quantisation.has_value();
  if (!call.want_rank(i, 1, 1)) return failure;
  if (quantised ? !call.one_of(i, {DType::i32, DType::i64}) : !call.same_dtype(0, i)) return failure;
  if (is_known(length) && is_known(call.dims(i)[0]) && call.dims(i)[0] != length)
    return call.error("the bias must have one element for each output channel", call.text(i), std::to_string(length));
  return {};
}

}  // namespace

Result<void> conv_transpose(const Inference& call) {
  if (!call.one_of(0, {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i8, DType::u8, DType::i16}))
    return failure;
  if (!call.in(0).quantisation && !call.same_dtype(0, 1)) return failure;
  const Result<SpatialDims> in = read_spatial(call, 0);
  if (!in || !call.want_rank(1, call.rank(0), call.rank(0))) return failure;
  const std::string layout = call.node.text("filter_layout", "IOHW");
  if (layout != "IOHW" && layout != "OHWI") return call.error("unknown filter_layout", layout, "IOHW or OHWI");
  const bool out_first = layout == "OHWI";
  const std::int64_t groups = call.node.integer("group", 1);
  if (groups < 1) return call.error("group is out of range", std::to_string(groups), "at least 1");
  const ir::Dim channels = out_first ? call.dims(1).back() : call.dims(1)[0];
  if (is_known(channels) && is_known(in->channels) && channels != in->channels)
    return call.error("the filter does not fit the input's channels", call.text(1), call.text(0));
  if (is_known(channels) && channels % groups != 0)
    return call.error("input channels are not a multiple of group", std::to_string(channels),
                      "a multiple of " + std::to_string(groups));
  ir::Dim out_channels = call.dims(1)[out_first ? 0 : 1];
  if (is_known(out_channels) && __builtin_mul_overflow(out_channels, groups, &out_channels))
    return call.error("the result is too large", call.text(1));
  if (!check_vector(call, 2, out_channels)) return failure;
  const Result<Dims> kernel = kernel_of(call, 1, out_first ? 1 : 2);
  if (!kernel) return failure;
  if (kernel->size() != in->sizes.size()) return call.error("the filter must have the rank of the input", call.text(1));
  Result<Transposed> t = read(call, *kernel);
  if (!t) return failure;
  const Result<bool> resolved = resolve(call, in->sizes, *t);
  if (!resolved) return failure;
  if (!*resolved) return call.set(0, call.in(0).dtype, in->make(out_channels, Dims(in->sizes.size(), kUnknown)));
  write_window(call.node, t->axes);
  call.node.attributes.erase("output_shape");
  call.node.attributes.insert_or_assign("output_padding", t->extra);
  call.node.attributes.insert_or_assign("group", groups);
  Dims out;
  for (std::size_t i = 0; i < in->sizes.size(); ++i) {
    if (!is_known(in->sizes[i])) {
      out.push_back(kUnknown);
      continue;
    }
    const WindowAxis& a = t->axes[i];
    std::int64_t natural = 0;
    if (!spread(in->sizes[i], a, natural)) return call.error("the result is too large", call.text(in->sizes));
    out.push_back(natural + t->extra[i] - a.pad_begin - a.pad_end);
    if (out.back() < 1)
      return call.error("the pads leave nothing of the result", std::to_string(out.back()), "at least 1");
  }
  return call.set(0, call.in(0).dtype, in->make(out_channels, out));
}

// x, w, offset, bias, mask. The offsets have two numbers for each tap, the mask one.
Result<void> deform_conv(const Inference& call) {
  if (!call.one_of(0, {DType::f32, DType::f64, DType::f16, DType::bf16}) || !call.want_rank(0, 4, 4)) return failure;
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}, std::size_t{4}}) {
    if (call.find(i) == nullptr) continue;
    if (!call.want_rank(i, 4, 4) || !call.same_dtype(0, i)) return failure;
  }
  const Result<SpatialDims> in = read_spatial(call, 0);
  const Result<Dims> kernel = kernel_of(call, 1);
  if (!in || !kernel || !check_vector(call, 3, call.dims(1)[0])) return failure;
  const std::int64_t groups = call.node.integer("group", 1);
  const std::int64_t offsets = call.node.integer("offset_group", 1);
  for (const std::int64_t g : {groups, offsets})
    if (g < 1 || (is_known(in->channels) && in->channels % g != 0))
      return call.error("group or offset_group does not divide the channels", std::to_string(g), call.text(0));
  if ((is_known(call.dims(1)[0]) && call.dims(1)[0] % groups != 0) ||
      (is_known(call.dims(1)[1]) && is_known(in->channels) && call.dims(1)[1] != in->channels / groups))
    return call.error("the filter does not fit the input's channels and group", call.text(1), call.text(0));
  const Result<Dims> sizes = slide(call, in->sizes, *kernel);
  if (!sizes) return failure;
  const std::int64_t taps = (*kernel)[0] * (*kernel)[1];
  auto check = [&](std::size_t i, std::int64_t channels) -> Result<void> {
    if (call.find(i) == nullptr) return {};
    const Dims wanted{in->batch, channels, (*sizes)[0], (*sizes)[1]};
    for (std::size_t d = 0; d < 4; ++d)
      if (is_known(call.dims(i)[d]) && is_known(wanted[d]) && call.dims(i)[d] != wanted[d])
        return call.error("input " + std::to_string(i) + " does not fit the result", call.text(i), call.text(wanted));
    return {};
  };
  if (!check(2, offsets * taps * 2) || !check(4, offsets * taps)) return failure;
  call.node.attributes.insert_or_assign("group", groups);
  return call.set(0, call.in(0).dtype, in->make(call.dims(1)[0], *sizes));
}

}  // namespace byoc::shapes
