#include "sdk/model/import/tflite/variables.hpp"

namespace byoc::tflite {

std::size_t Variables::find_or_add(const std::string& container, const std::string& name) {
  for (std::size_t i = 0; i < all_.size(); ++i)
    if (all_[i].name == name && (container.empty() || all_[i].container.empty() || all_[i].container == container))
      return i;
  all_.push_back({container, name, std::nullopt, ir::kNoValue});
  return all_.size() - 1;
}

}  // namespace byoc::tflite
