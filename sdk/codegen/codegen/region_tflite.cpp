#include "sdk/codegen/codegen/region_tflite.hpp"

#include <algorithm>

namespace byoc::plugin {

codegen::TfliteForm tflite_model(const codegen::Region& region) {
  codegen::TfliteForm out;
  if (region.source == nullptr)
    out.refusal = "it is not of a TFLite file";
  else
    out = region.source->as_tflite(region);
  for (const codegen::TfliteForm::Content& c : out.contents) {
    if (c.value == codegen::kNoValue) continue;
    const auto data = region.values[c.value].data;
    if (data.size() == c.size)
      std::copy(data.begin(), data.end(), out.bytes.begin() + static_cast<std::ptrdiff_t>(c.offset));
  }
  return out;
}

}  // namespace byoc::plugin
