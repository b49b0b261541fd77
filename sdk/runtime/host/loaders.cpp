#include "sdk/runtime/host/loaders.hpp"

namespace byoc::runtime {

const std::map<std::string, OpaqueLoader>& built_in_loaders() {
  static const std::map<std::string, OpaqueLoader> kLoaders;
  return kLoaders;
}

}  // namespace byoc::runtime
