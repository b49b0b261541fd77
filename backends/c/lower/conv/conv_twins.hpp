// The kernel of the DSP extension whose words of weights are of two channels each, and the layers that it can compute.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/c/emitter.hpp"
#include "backends/layers/kernel_option.hpp"
#include "backends/layers/weight_packing.hpp"
#include "byoc/nodes/convolution.hpp"
#include "byoc/nodes/quantised_layer.hpp"

namespace byoc::c {

inline constexpr std::string_view kTwins = "conv_s8_dsp_twin";
// The suffix of the kernel's name for the form that copies the weights of four channels into RAM once per block of
// pixels.
inline constexpr std::string_view kBlock = "_block";
inline constexpr std::int64_t kBlockPixels = 16;

// byoc_channel_t covers it: kernels of the DSP extension requantise by six instructions.
[[nodiscard]] bool is_fast(const Multiplier&);

// The data beside the weights, in the kernel's form.
struct TwinChannels {
  bool lines = false;  // in the form whose sums become results by lines (sum_line.hpp)
  int shift = 0;       // of all lines
  std::vector<std::int32_t> records;

  [[nodiscard]] std::string kernel() const { return std::string(kTwins) + (lines ? "_line" : ""); }
};

// The forms in which the kernel can compute a layer whose filter is `rows`: twins fit, results of a pixel lie next to
// each other, and all channels have lines, or all scales are in the range of its requantisation. Layers of a model that
// take one form share its code.
[[nodiscard]] std::vector<TwinChannels> twin_channels(const Convolution&, const QuantisedLayer&,
                                                      const std::vector<std::int8_t>& rows);

// The depthwise kernel that takes four channels through all taps of a pixel, on layers it computes. Null: it does not.
inline constexpr std::string_view kTaps = "depthwise_s8_dsp_taps";
[[nodiscard]] std::optional<TwinChannels> taps_channels(const Convolution&, const QuantisedLayer&,
                                                        const std::vector<std::int8_t>& rows);
[[nodiscard]] KernelOption taps_option(const Convolution&, const TwinChannels&);

// The cost of the first, derived from the cost of the other kernel of the DSP extension.
[[nodiscard]] KernelOption twin_option(const Convolution&, const TwinChannels&, KernelOption patches);
// The cost of the form with blocks of pixels, derived from that of the form without. Nullopt: the layer does not fit,
// or constants are not slower than RAM. They are not slow for long on cores that want loads apart, because those parts
// have caches that hold a layer's weights.
[[nodiscard]] std::optional<KernelOption> block_option(const Convolution&, const TargetSpec&,
                                                       const KernelOption& twins);
// Bytes.
[[nodiscard]] std::int64_t twin_workspace(const Convolution&, bool blocks);

}  // namespace byoc::c
