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
// What its name ends in where the weights of four channels are copied into RAM once for so many pixels.
inline constexpr std::string_view kBlock = "_block";
inline constexpr std::int64_t kBlockPixels = 16;

// byoc_channel_t covers it: kernels of the DSP extension requantise by six instructions.
[[nodiscard]] bool is_fast(const Multiplier&);

// What stands beside the weights, as the kernel has it.
struct TwinChannels {
  bool lines = false;  // in the form whose sums become results by lines (sum_line.hpp)
  int shift = 0;       // of all lines
  std::vector<std::int32_t> records;

  [[nodiscard]] std::string kernel() const { return std::string(kTwins) + (lines ? "_line" : ""); }
};

// Of a layer whose filter is `rows`, in the forms in which the kernel computes it: twins fit, results of a pixel lie
// next to each other, and all channels have lines, or all scales are in the range of its requantisation. Layers of a
// model that take one form share its code.
[[nodiscard]] std::vector<TwinChannels> twin_channels(const Convolution&, const QuantisedLayer&,
                                                      const std::vector<std::int8_t>& rows);

// The depthwise kernel that takes four channels through all taps of a pixel, on layers it computes. Null: it does not.
inline constexpr std::string_view kTaps = "depthwise_s8_dsp_taps";
[[nodiscard]] std::optional<TwinChannels> taps_channels(const Convolution&, const QuantisedLayer&,
                                                        const std::vector<std::int8_t>& rows);
[[nodiscard]] KernelOption taps_option(const Convolution&, const TwinChannels&);

// What the first costs, of what the other kernel of the DSP extension is said to.
[[nodiscard]] KernelOption twin_option(const Convolution&, const TwinChannels&, KernelOption patches);
// The same in blocks of pixels, of what it costs without. Null: it cannot, or constants do not take longer than RAM;
// nor do they for long on cores that want loads apart, whose parts have caches that hold a layer's weights.
[[nodiscard]] std::optional<KernelOption> block_option(const Convolution&, const TargetSpec&,
                                                       const KernelOption& twins);
// Bytes.
[[nodiscard]] std::int64_t twin_workspace(const Convolution&, bool blocks);

}  // namespace byoc::c
