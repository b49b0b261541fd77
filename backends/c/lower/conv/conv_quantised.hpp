// Convolutions with quantised operands: their geometry, and lowerings for every route that leads to one.
#pragma once

#include <string>

#include "backends/c/lower/quantise/quantised_layer.hpp"
#include "backends/c/lower/quantise/requantise.hpp"
#include "backends/c/lower/step/parameter_text.hpp"
#include "backends/c/lower/window.hpp"

namespace byoc::c {

// Where element (o, tap, i) of the filter is: i counts the input channels of one group.
struct FilterLayout {
  std::size_t out_axis = 0;
  std::int64_t out = 0, tap = 0, in = 0;
};
// Null: a name that is none, or dims that do not fit it.
[[nodiscard]] std::optional<FilterLayout> read_filter_layout(std::string_view name,
                                                             const std::vector<std::int64_t>& dims);

struct Convolution {
  Image in, out;
  Window window;
  FilterLayout filter;
  std::int64_t groups = 1;
  Clamp clamp;

  [[nodiscard]] std::int64_t group_in() const { return in.channels / groups; }
  [[nodiscard]] std::int64_t group_out() const { return out.channels / groups; }
  [[nodiscard]] std::int64_t taps() const { return window.kernel_h * window.kernel_w; }
  [[nodiscard]] std::int64_t depth() const { return taps() * group_in(); }
  [[nodiscard]] bool depthwise() const { return group_in() == 1 && groups > 1; }
  [[nodiscard]] std::uint64_t macs() const {
    return static_cast<std::uint64_t>(out.batch * out.height * out.width * out.channels * depth());
  }
  // A patch lies in the image as it is.
  [[nodiscard]] bool in_place() const {
    return taps() == 1 && in.chan == 1 && window.pad_top == 0 && window.pad_left == 0 &&
           (out.height - 1) * window.stride_h < in.height && (out.width - 1) * window.stride_w < in.width;
  }
};

// The filter's elements as [output channel][tap][input channel of the group].
[[nodiscard]] std::vector<std::int8_t> filter_rows(const Convolution&, const std::vector<std::int8_t>& elements);
// The fields of a byoc_conv_s8_t, given to `p`, and their text as a nested initialiser. `per_group`: channels of the
// images are given for one group.
std::string conv_parameters(const Convolution&, std::string_view weights, const std::string& requant,
                            std::int64_t in_zero, bool per_group, ParameterText& p);

// A node whose attributes are Conv's, on `layer`.
[[nodiscard]] codegen::Verdict accepts_conv_layer(const codegen::Region&, const codegen::Node&, const QuantisedLayer&);
bool lower_conv_layer(Emitter&, const codegen::Node&, const QuantisedLayer&);
// One small kernel computes all convolutions, whichever their groups, and products of rows with a matrix besides. It
// has no form for MVE, beside whose kernels it would be too slow.
inline constexpr std::string_view kSmallConv = "conv_s8_small";
[[nodiscard]] KernelOption small_conv_option(const Convolution&, Scaling, const TargetSpec&);
// A layer with i8 operands in that kernel. `rows`: its filter_rows; `stem` starts its symbols.
bool lower_small_conv(Emitter&, const codegen::Node&, const QuantisedLayer&, const Convolution&,
                      const std::vector<std::int8_t>& rows, const std::string& stem);
// A convolution in the general kernel: any types, any zero points of the weights, computed weights and bias. `stem`
// starts its symbols.
bool lower_general_conv(Emitter&, const codegen::Node&, const QuantisedLayer&, const Convolution&,
                        const std::string& stem);

}  // namespace byoc::c
