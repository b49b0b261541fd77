// Resize whose scales, sizes or region are known only at run time: the step makes the tables itself.
#pragma once

#include <string>

#include "backends/c/lower/sample/resize_axes.hpp"
#include "backends/c/lower/step/step_builder.hpp"

namespace byoc::c {

// C expressions of byoc_resample.h's tables.
struct TapTables {
  std::string first, tap, weights;
};

class ComputedAxes {
 public:
  // Emits the lines that read the operands; the step fails where they give another shape than the stated one.
  ComputedAxes(StepBuilder&, const ResizeNode&, const codegen::Node&);

  // Emits the line that copies so many bytes, and ends, where a run's numbers leave everything as it is.
  void copy_what_stays(std::uint64_t bytes);
  // Emit the lines that make the tables of dim `d`, in workspaces.
  [[nodiscard]] std::string nearest(std::size_t d, std::int64_t stride);
  [[nodiscard]] TapTables taps(std::size_t d, DType weights);
  // A parameter struct that has such tables, and its address.
  [[nodiscard]] std::string parameters(const std::string& type, const ParameterText&);

 private:
  [[nodiscard]] std::string axis(std::size_t d) const;

  StepBuilder& step_;
  const ResizeNode& resize_;
  std::string rules_;
  std::size_t count_ = 0;
};

}  // namespace byoc::c
