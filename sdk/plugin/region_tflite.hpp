// A region as a TFLite model, for plug-ins whose compiler reads that.
#pragma once

#include "byoc/codegen.hpp"

namespace byoc::plugin {

// What the model's file has of the region, with the region's constants in it as they are now. Where there is none, why:
// the region is not of a TFLite file, or what codegen::ModelSource says.
[[nodiscard]] codegen::TfliteForm tflite_model(const codegen::Region& region);

}  // namespace byoc::plugin
