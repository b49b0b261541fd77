// Convolutions in the general kernels: any element types and layouts, weights that are computed or constant.
#pragma once

#include <optional>

#include "backends/c/lower/spatial.hpp"
#include "backends/c/lower/step/typed_step.hpp"
#include "backends/c/operators.hpp"

namespace byoc::c {

struct ConvAny {
  Spatial spatial;
  std::int64_t groups = 1;
  std::int64_t w_out = 0, w_in = 0;  // steps between elements of the filter
  Dims3 w_step{};

  [[nodiscard]] std::int64_t group_in() const { return spatial.in_channels / groups; }
  [[nodiscard]] std::int64_t group_out() const { return spatial.out_channels / groups; }
  [[nodiscard]] std::uint64_t macs() const;
};

// Reads the attributes of a node whose filter is input `w`. Null, with the reason in `why`.
[[nodiscard]] std::optional<ConvAny> read_conv_any(const codegen::Region&, const codegen::Node&, std::size_t w,
                                                   std::string& why);
// The fields of a byoc_conv_any_t.
[[nodiscard]] ParameterText conv_any_parameters(const ConvAny&);
// Steps between the elements of a tensor in the node's layout: batch, channel, depth, height, width.
struct SpatialSteps {
  std::int64_t batch = 0, channel = 0;
  Dims3 step{};
};
[[nodiscard]] SpatialSteps spatial_steps(bool channels_last, std::int64_t channels, const Dims3& size);

[[nodiscard]] codegen::Verdict accepts_conv_real(const codegen::Region&, const codegen::Node&);
bool lower_conv_real(Emitter&, const codegen::Node&);
[[nodiscard]] codegen::Verdict accepts_qlinear_conv_any(const codegen::Region&, const codegen::Node&);
bool lower_qlinear_conv_any(Emitter&, const codegen::Node&);

}  // namespace byoc::c
