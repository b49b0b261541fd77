// ConvTranspose: every input element adds its product with the filter to the window of the output that belongs to it.
#include "sdk/evaluate/operators.hpp"
#include "sdk/evaluate/operators/spatial.hpp"

namespace byoc::evaluate {
namespace {

struct Transposed {
  Spatial in, out;
  std::array<WindowAxis, 3> axes;
  std::int64_t groups = 1;
  std::int64_t group_out = 0;

  [[nodiscard]] std::int64_t group_in() const { return in.channels / groups; }
};

Result<Transposed> read(const Call& call) {
  const Result<Spatial> in = read_spatial(call, call.in(0), DataLayout::nchw);
  if (!in) return failure;
  const Dims& w = *call.in(1).type.dims;
  if (w.size() != in->rank)
    return call.error("the filter must have the rank of the input", describe(call.in(1)), describe(call.in(0)));
  const std::string pad = call.node.text("auto_pad", "NOTSET");
  if (pad != "NOTSET" || call.node.find<Dims>("output_shape") != nullptr)
    return call.error("auto_pad or output_shape has not been resolved into pads");
  const Dims kernel(w.begin() + 2, w.end());
  const Result<std::vector<WindowAxis>> axes = call.window(kernel);
  if (!axes) return failure;
  const Dims extra = call.node.integers("output_padding", Dims(kernel.size(), 0));
  if (extra.size() != kernel.size()) return call.error("attribute output_padding has the wrong length");
  Transposed t;
  t.in = *in;
  t.groups = call.node.integer("group", 1);
  t.group_out = w[1];
  if (t.groups < 1 || w[0] != in->channels || in->channels % t.groups != 0)
    return call.error("the filter does not fit the input's channels and group", describe(call.in(1)),
                      describe(call.in(0)));
  std::array<std::int64_t, 3> size{1, 1, 1};
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    const std::size_t d = 5 - in->rank + i;
    t.axes[d] = (*axes)[i];
    const WindowAxis& a = t.axes[d];
    if (in->size[d] > (std::int64_t{1} << 31) || extra[i] < 0 || extra[i] > (std::int64_t{1} << 32))
      return call.error("the result is too large", describe(call.in(0)));
    size[d] = (in->size[d] - 1) * a.stride + (a.kernel - 1) * a.dilation + 1 + extra[i] - a.pad_begin - a.pad_end;
    if (size[d] < 0) return call.error("the pads leave nothing of the result", std::to_string(size[d]));
  }
  t.out = make_spatial(DataLayout::nchw, in->rank, in->batch, t.group_out * t.groups, size);
  if (call.find(2) != nullptr && *call.in(2).type.dims != Dims{t.out.channels})
    return call.error("the bias must have one element for each output channel", describe(call.in(2)));
  return t;
}

// Adds what input channel `c` of image `n` gives to output channel `o`; w: the taps between the two.
template <class Real>
void spread(const Transposed& t, const Real* x, const Real* w, Real* y) {
  const auto& [az, ay, ax] = t.axes;
  for (std::int64_t iz = 0; iz < t.in.size[0]; ++iz)
    for (std::int64_t iy = 0; iy < t.in.size[1]; ++iy)
      for (std::int64_t ix = 0; ix < t.in.size[2]; ++ix, ++x)
        for (std::int64_t kz = 0; kz < az.kernel; ++kz)
          for (std::int64_t ky = 0; ky < ay.kernel; ++ky)
            for (std::int64_t kx = 0; kx < ax.kernel; ++kx) {
              const std::int64_t oz = iz * az.stride + kz * az.dilation - az.pad_begin;
              const std::int64_t oy = iy * ay.stride + ky * ay.dilation - ay.pad_begin;
              const std::int64_t ox = ix * ax.stride + kx * ax.dilation - ax.pad_begin;
              if (oz < 0 || oz >= t.out.size[0] || oy < 0 || oy >= t.out.size[1] || ox < 0 || ox >= t.out.size[2])
                continue;
              y[oz * t.out.stride[0] + oy * t.out.stride[1] + ox] += *x * w[(kz * ay.kernel + ky) * ax.kernel + kx];
            }
}

template <class Real>
Outcome compute(const Call& call, const Transposed& t) {
  const Dims dims = t.out.dims();
  if (!call.allocate(call.in(0).type.dtype, dims)) return failure;
  const std::vector<Real> x = reals<Real>(call.in(0));
  const std::vector<Real> w = reals<Real>(call.in(1));
  std::vector<Real> y(static_cast<std::size_t>(*product(dims)), Real{0});
  const std::int64_t taps = t.axes[0].kernel * t.axes[1].kernel * t.axes[2].kernel;
  for (std::int64_t n = 0; n < t.in.batch; ++n)
    for (std::int64_t c = 0; c < t.in.channels; ++c)
      for (std::int64_t o = 0; o < t.group_out; ++o) {
        const std::int64_t channel = c / t.group_in() * t.group_out + o;
        if (!x.empty() && !y.empty())
          spread(t, x.data() + n * t.in.batch_stride + c * t.in.channel_stride, w.data() + (c * t.group_out + o) * taps,
                 y.data() + n * t.out.batch_stride + channel * t.out.channel_stride);
      }
  if (call.find(2) != nullptr) {
    const std::vector<Real> bias = reals<Real>(call.in(2));
    for (std::size_t i = 0; i < y.size(); ++i)
      y[i] += bias[i / static_cast<std::size_t>(t.out.channel_stride) % bias.size()];
  }
  return single(call.from_reals(call.in(0).type.dtype, dims, y));
}

}  // namespace

Outcome conv_transpose(const Call& call) {
  const DType dtype = call.in(0).type.dtype;
  if (!is_float(dtype)) return call.unsupported_dtype(0, "a float");
  if (!call.same_dtype(0, 1) || (call.find(2) != nullptr && !call.same_dtype(0, 2))) return failure;
  const Result<Transposed> t = read(call);
  if (!t) return failure;
  return with_sum_type(dtype, [&]<class Real>() { return compute<Real>(call, *t); });
}

}  // namespace byoc::evaluate
