// Objects of shared kernels that are compiled once for all graphs: what processes that were forked from this one
// compile goes through a folder.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace byoc::test {

class KernelStore {
 public:
  explicit KernelStore(std::string folder);

  // For Job::kernel_objects.
  [[nodiscard]] std::map<std::string, std::vector<std::byte>>* objects() { return &objects_; }
  // In a child: writes what was added to objects() since the last call.
  void keep_new();
  // Reads what others have added.
  void take_new();

 private:
  std::string folder_;
  std::map<std::string, std::vector<std::byte>> objects_;
};

}  // namespace byoc::test
