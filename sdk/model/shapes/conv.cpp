// Conv and QLinearConv.
#include "sdk/model/shapes/rules.hpp"
#include "sdk/model/shapes/spatial.hpp"

namespace byoc::shapes {
namespace {

struct Filter {
  ir::Dim out, in;
  Dims kernel;
};

Result<Filter> read_filter(const Inference& call, std::size_t w) {
  const Dims& d = call.dims(w);
  const std::string layout = call.node.text("filter_layout", "OIHW");
  if (layout == "OIHW") return Filter{d[0], d[1], Dims(d.begin() + 2, d.end())};
  if (layout == "OHWI") return Filter{d[0], d.back(), Dims(d.begin() + 1, d.end() - 1)};
  if (layout == "IHWO") return Filter{d.back(), d[0], Dims(d.begin() + 1, d.end() - 1)};
  return call.error("unknown filter_layout", layout, "OIHW, OHWI or IHWO");
}

Result<void> check_channels(const Inference& call, ir::Dim channels, const Filter& filter) {
  const std::int64_t groups = call.node.integer("group", 1);
  if (groups < 1) return call.error("group is out of range", std::to_string(groups), "at least 1");
  if (is_known(filter.out) && filter.out % groups != 0)
    return call.error("output channels are not a multiple of group", std::to_string(filter.out),
                      "a multiple of " + std::to_string(groups));
  if (is_known(channels) && is_known(filter.in) && (channels % groups != 0 || channels / groups != filter.in))
    return call.error("the filter does not fit the input's channels",
                      std::to_string(filter.in) + " filter channels in " + std::to_string(groups) + " groups",
                      std::to_string(channels) + " input channels");
  return {};
}

Result<void> check_bias(const Inference& call, std::size_t bias, ir::Dim out) {
  if (call.find(bias) == nullptr) return {};
  if (!call.want_rank(bias, 1, 1)) return failure;
  if (is_known(out) && is_known(call.dims(bias)[0]) && call.dims(bias)[0] != out)
    return call.error("the bias must have one element for each output channel", call.text(bias), std::to_string(out));
  return {};
}

Result<void> check_bias_type(const Inference& call) {
  if (call.find(2) == nullptr) return {};
  if (call.in(0).quantisation) return call.one_of(2, {DType::i32, DType::i64});
  return call.same_dtype(0, 2);
}

Result<Dims> conv_dims(const Inference& call, std::size_t x, std::size_t w, std::size_t bias) {
  const Result<SpatialDims> in = read_spatial(call, x);
  if (!in || !call.want_rank(w, call.rank(x), call.rank(x))) return failure;
  const Result<Filter> filter = read_filter(call, w);
  if (!filter || !check_channels(call, in->channels, *filter) || !check_bias(call, bias, filter->out)) return failure;
  Dims kernel = filter->kernel;
  if (const auto* stated = call.node.find<Dims>("kernel_shape")) {
    bool same = stated->size() == kernel.size();
    for (std::size_t i = 0; same && i < kernel.size(); ++i) same = !is_known(kernel[i]) || kernel[i] == (*stated)[i];
    if (!same) return call.error("kernel_shape is not the filter's", call.text(*stated), call.text(filter->kernel));
    kernel = *stated;
  }
  if (!all_known(kernel)) return call.error("the kernel's size is open", call.text(w));
  const Result<Dims> sizes = slide(call, in->sizes, kernel);
  if (!sizes) return failure;
  if (call.node.find<std::int64_t>("group") == nullptr) call.node.attributes.emplace("group", std::int64_t{1});
  return in->make(filter->out, *sizes);
}

}  // namespace

Result<void> conv(const Inference& call) {
  if (!call.one_of(0,
                   {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i8, DType::u8, DType::i16, DType::u16}) ||
      !check_bias_type(call))
    return failure;
  const bool quantised = call.in(0).quantisation.has_value();
  if (!quantised && !call.same_dtype(0, 1)) return failure;
  const Result<Dims> dims = conv_dims(call, 0, 1, 2);
  if (!dims) return failure;
  return call.set(0, call.requantised_dtype(), *dims);
}

Result<void> qlinear_conv(const Inference& call) {
  if (!call.one_of(0, {DType::i8, DType::u8, DType::i16, DType::u16}) || !call.same_dtype(0, 2) ||
      !call.same_dtype(3, 5))
    return failure;
  if (call.find(8) != nullptr && !call.one_of(8, {DType::i32, DType::i64})) return failure;
  const Result<Dims> dims = conv_dims(call, 0, 3, 8);
  if (!dims) return failure;
  return call.set(0, call.in(7).dtype, *dims);
}

// x, w, the zero point of x, those of w.
Result<void> conv_integer(const Inference& call) {
  if (!call.one_of(0, {DType::i8, DType::u8}) || !call.one_of(1, {DType::i8, DType::u8})) return failure;
  for (const std::size_t i : {std::size_t{2}, std::size_t{3}})
    if (call.find(i) != nullptr && (!call.want_rank(i, 0, 1) || !call.same_dtype(i - 2, i))) return failure;
  const Result<Dims> dims = conv_dims(call, 0, 1, 4);
  if (!dims) return failure;
  return call.set(0, DType::i32, *dims);
}

}  // namespace byoc::shapes
