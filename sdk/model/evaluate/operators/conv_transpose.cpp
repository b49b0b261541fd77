// ConvTranspose, float or quantised: every input element adds its product with the filter to the window of the output
// that belongs to it.
#include <algorithm>

#include "sdk/model/evaluate/index.hpp"
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/spatial.hpp"
#include "sdk/model/evaluate/quantise.hpp"

namespace byoc::evaluate {
namespace {

struct Transposed {
  Spatial in, out;
  std::array<WindowAxis, 3> axes;
  std::int64_t groups = 1;
  std::int64_t group_out = 0;
  // Elements between neighbours in the filter.
  std::size_t filter_out_axis = 0;
  std::int64_t filter_out_stride = 0, filter_in_stride = 0;
  std::array<std::int64_t, 3> filter_stride{0, 0, 0};

  [[nodiscard]] std::int64_t group_in() const { return in.channels / groups; }
  [[nodiscard]] std::size_t channel_of(std::size_t output) const {
    return static_cast<std::size_t>(static_cast<std::int64_t>(output) / out.channel_stride % out.channels);
  }
};

// The filter's dims and strides: input channels and output channels of a group first, or ours, output channels first
// and input channels last.
Result<Dims> read_filter(const Call& call, Transposed& t) {
  const Dims& w = *call.in(1).type.dims;
  if (w.size() != t.in.rank)
    return call.error("the filter must have the rank of the input", describe(call.in(1)), describe(call.in(0)));
  const std::string layout = call.node.text("filter_layout", "IOHW");
  if (layout != "IOHW" && layout != "OHWI") return call.error("unknown filter_layout", layout, "IOHW or OHWI");
  const bool out_first = layout == "OHWI";
  const std::size_t in_axis = out_first ? w.size() - 1 : 0, first = out_first ? 1 : 2;
  t.filter_out_axis = out_first ? 0 : 1;
  t.groups = call.node.integer("group", 1);
  t.group_out = w[t.filter_out_axis];
  if (t.groups < 1 || w[in_axis] != t.in.channels || t.in.channels % t.groups != 0)
    return call.error("the filter does not fit the input's channels and group", describe(call.in(1)),
                      describe(call.in(0)));
  const Dims strides = row_major_strides(w);
  t.filter_out_stride = strides[t.filter_out_axis];
  t.filter_in_stride = strides[in_axis];
  for (std::size_t i = 0; i + 2 < w.size(); ++i) t.filter_stride[5 - w.size() + i] = strides[first + i];
  return Dims(w.begin() + static_cast<std::ptrdiff_t>(first),
              w.begin() + static_cast<std::ptrdiff_t>(first + w.size() - 2));
}

Result<Transposed> read_transposed(const Call& call) {
  Transposed t;
  const Result<DataLayout> layout = data_layout(call);
  if (!layout) return failure;
  const Result<Spatial> in = read_spatial(call, call.in(0), *layout);
  if (!in) return failure;
  t.in = *in;
  const std::string pad = call.node.text("auto_pad", "NOTSET");
  if (pad != "NOTSET" || call.node.find<Dims>("output_shape") != nullptr)
    return call.error("auto_pad or output_shape has not been resolved into pads");
  const Result<Dims> kernel = read_filter(call, t);
  if (!kernel) return failure;
  const Result<std::vector<WindowAxis>> axes = call.window(*kernel);
  if (!axes) return failure;
  const Dims extra = call.node.integers("output_padding", Dims(kernel->size(), 0));
  if (extra.size() != kernel->size()) return call.error("attribute output_padding has the wrong length");
  std::array<std::int64_t, 3> size{1, 1, 1};
  for (std::size_t i = 0; i < kernel->size(); ++i) {
    const std::size_t d = 5 - in->rank + i;
    t.axes[d] = (*axes)[i];
    const WindowAxis& a = t.axes[d];
    if (in->size[d] > (std::int64_t{1} << 31) || extra[i] < 0 || extra[i] > (std::int64_t{1} << 32))
      return call.error("the result is too large", describe(call.in(0)));
    size[d] = std::max<std::int64_t>(in->size[d] - 1, 0) * a.stride + (a.kernel - 1) * a.dilation + 1 + extra[i] -
              a.pad_begin - a.pad_end;
    if (size[d] < 0) return call.error("the pads leave nothing of the result", std::to_string(size[d]));
  }
  t.out = make_spatial(*layout, in->rank, in->batch, t.group_out * t.groups, size);
  if (call.find(2) != nullptr && *call.in(2).type.dims != Dims{t.out.channels})
    return call.error("the bias must have one element for each output channel", describe(call.in(2)));
  return t;
}

// Calls f(output offset, filter offset) for every tap of the input position that stays inside the output; offsets are
// those of the first channels.
template <class F>
void for_each_tap(const Transposed& t, const std::array<std::int64_t, 3>& position, F&& f) {
  const auto& [az, ay, ax] = t.axes;
  const std::int64_t z = position[0] * az.stride - az.pad_begin, y = position[1] * ay.stride - ay.pad_begin;
  const std::int64_t x = position[2] * ax.stride - ax.pad_begin;
  for (std::int64_t kz = 0; kz < az.kernel; ++kz)
    for (std::int64_t ky = 0; ky < ay.kernel; ++ky)
      for (std::int64_t kx = 0; kx < ax.kernel; ++kx) {
        const std::int64_t oz = z + kz * az.dilation, oy = y + ky * ay.dilation, ox = x + kx * ax.dilation;
        if (oz < 0 || oz >= t.out.size[0] || oy < 0 || oy >= t.out.size[1] || ox < 0 || ox >= t.out.size[2]) continue;
        f(oz * t.out.stride[0] + oy * t.out.stride[1] + ox * t.out.stride[2],
          kz * t.filter_stride[0] + ky * t.filter_stride[1] + kx * t.filter_stride[2]);
      }
}

// Adds what channel `c` of image `n` gives at one position.
template <class Sum, class T>
void spread(const Transposed& t, std::span<const T> x, std::span<const T> w, std::vector<Sum>& y, std::int64_t n,
            std::int64_t c, const std::array<std::int64_t, 3>& position) {
  const auto element = static_cast<Sum>(
      x[static_cast<std::size_t>(n * t.in.batch_stride + c * t.in.channel_stride + position[0] * t.in.stride[0] +
                                 position[1] * t.in.stride[1] + position[2] * t.in.stride[2])]);
  const std::int64_t first = c / t.group_in() * t.group_out;  // output channel of the group
  for_each_tap(t, position, [&](std::int64_t to, std::int64_t tap) {
    to += n * t.out.batch_stride + first * t.out.channel_stride;
    tap += c * t.filter_in_stride;
    for (std::int64_t o = 0; o < t.group_out; ++o)
      y[static_cast<std::size_t>(to + o * t.out.channel_stride)] +=
          element * static_cast<Sum>(w[static_cast<std::size_t>(tap + o * t.filter_out_stride)]);
  });
}

// Sums of products in the output's layout, added up in the order of the frameworks' plain kernels: channels last in
// TFLite's layout, first in ONNX's.
template <class Sum, class T>
std::vector<Sum> transposed(const Transposed& t, std::span<const T> x, std::span<const T> w) {
  std::vector<Sum> y(static_cast<std::size_t>(t.out.batch * t.out.batch_stride), Sum{0});
  const bool channels_first = t.in.layout == DataLayout::nchw;
  for (std::int64_t n = 0; n < t.in.batch; ++n)
    for (std::int64_t i = 0; i < (channels_first ? t.in.channels : 1); ++i)
      for (std::int64_t iz = 0; iz < t.in.size[0]; ++iz)
        for (std::int64_t iy = 0; iy < t.in.size[1]; ++iy)
          for (std::int64_t ix = 0; ix < t.in.size[2]; ++ix)
            for (std::int64_t j = 0; j < (channels_first ? 1 : t.in.channels); ++j)
              spread(t, x, w, y, n, i + j, {iz, iy, ix});
  return y;
}

template <class Real>
Outcome transposed_float(const Call& call, const Transposed& t) {
  const Result<Bounds> bounds = activation_bounds(call);
  if (!bounds) return failure;
  const std::vector<Real> x = reals<Real>(call.in(0)), w = reals<Real>(call.in(1));
  const std::vector<Real> bias = call.find(2) != nullptr ? reals<Real>(call.in(2)) : std::vector<Real>{};
  std::vector<Real> y = transposed<Real>(t, std::span(x), std::span(w));
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (!bias.empty()) y[i] += bias[t.channel_of(i)];
    y[i] = std::clamp(y[i], static_cast<Real>(bounds->low), static_cast<Real>(bounds->high));
  }
  return single(call.from_reals(call.in(0).type.dtype, t.out.dims(), y));
}

Outcome transposed_quantised(const Call& call, const Transposed& t) {
  Result<Affine> in = affine_input(call, 0);
  const Result<Affine> out = affine_output(call);
  if (!in || !out) return failure;
  Result<FilterScales> filter = filter_scales(call, 1, t.filter_out_axis, t.group_out);
  const Result<std::vector<std::int64_t>> bias = quantised_bias(call, 2);
  if (!filter || !bias) return failure;
  const Result<IntegerRange> clamp = activation_range(call, *out);
  if (!clamp) return failure;
  round_products(call, *in, *filter);
  // TFLite sums products of 16-bit activations in 64 bits, whatever the type of the bias.
  const bool wide = call.in(0).type.dtype == DType::i16;
  const Scaling scaling = !call.tflite() ? Scaling::onnx : wide ? Scaling::tflite_wide : Scaling::tflite;
  const Requantiser requantise(scaling, in->scale, filter->scales, *out, *clamp);
  const std::vector<std::int32_t> x = centred(call.in(0), in->zero_point);
  std::vector<std::int32_t> w = centred(call.in(1), 0);
  for (std::size_t i = 0; i < w.size(); ++i) {
    const auto o = static_cast<std::size_t>(static_cast<std::int64_t>(i) / t.filter_out_stride % t.group_out);
    w[i] -= static_cast<std::int32_t>(filter->zero_points[filter->zero_points.size() == 1 ? 0 : o]);
  }
  std::vector<std::int64_t> y =
      transposed<std::int64_t>(t, std::span<const std::int32_t>(x), std::span<const std::int32_t>(w));
  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::size_t channel = t.channel_of(i);
    y[i] = requantise(y[i] + (bias->empty() ? 0 : (*bias)[channel]), channel % static_cast<std::size_t>(t.group_out));
  }
  return single(from_integers(call, call.declared()->dtype, t.out.dims(), y));
}

}  // namespace

Outcome conv_transpose(const Call& call) {
  const DType dtype = call.in(0).type.dtype;
  const bool quantised = is_quantised(call);
  if (!is_float(dtype) && !quantised) return call.unsupported_dtype(0, "a float, or an integer type with quantisation");
  if (!quantised && (!call.same_dtype(0, 1) || (call.find(2) != nullptr && !call.same_dtype(0, 2)))) return failure;
  const Result<Transposed> t = read_transposed(call);
  if (!t || !call.allocate(quantised ? call.declared()->dtype : dtype, t->out.dims())) return failure;
  if (quantised) return transposed_quantised(call, *t);
  return with_sum_type(dtype, [&]<class Real>() { return transposed_float<Real>(call, *t); });
}

}  // namespace byoc::evaluate
