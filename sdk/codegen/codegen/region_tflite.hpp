// A region as a TFLite model, for plug-ins whose compiler reads that.
#pragma once

#include "byoc/codegen.hpp"

namespace byoc::plugin {

// The region's part of the model's file, with the region's constants as they are now. If there is none, the reason: the
// region is not of a TFLite file, or the message of codegen::ModelSource.
[[nodiscard]] codegen::TfliteForm tflite_model(const codegen::Region& region);

}  // namespace byoc::plugin
