// A compiled library as a shared object of this process.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sdk/export/export.hpp"
#include "sdk/model/evaluate/evaluate.hpp"

namespace byoc::test {

class HostLibrary {
 public:
  // Links and loads `library`, compiled for this machine. `keep`: a folder where the shared object stays; "" for none.
  // `traced`: with the root that was compiled for tracing; the program must export its symbols then (ENABLE_EXPORTS).
  static std::unique_ptr<HostLibrary> load(const Library& library, const std::string& keep, std::string& error,
                                           bool traced = false);
  ~HostLibrary();

  // One run. The buffers are aligned to their element and no more, uninitialised memory is filled with junk, and what
  // surrounds every buffer is checked afterwards. "" or what went wrong. The instance, if there is one, is made and
  // initialised at first use.
  std::string run(std::span<const evaluate::Tensor> inputs, std::vector<evaluate::Tensor>& outputs);
  // The same on a traced library, with every graph value that was in memory when the step that completed it had run.
  using Values = std::map<ir::ValueId, evaluate::Tensor>;
  std::string run(std::span<const evaluate::Tensor> inputs, std::vector<evaluate::Tensor>& outputs, Values& values);
  std::string reset();

 private:
  HostLibrary() = default;
  std::string call(const char* phase);
  std::string run_observed(std::span<const evaluate::Tensor> inputs, std::vector<evaluate::Tensor>& outputs,
                           Values* values);

  ModelInterface interface_;
  void* handle_ = nullptr;
  void* run_ = nullptr;
  std::vector<std::uint64_t> instance_;
};

}  // namespace byoc::test
