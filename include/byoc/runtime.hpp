// Models that byoc exported for this machine, run in this process: on tensors in the memory of whoever calls, without a
// copy. byoc/rt/runtime.h is the same for other languages.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "byoc/byoc.hpp"
#include "byoc/rt/dlpack.h"
#include "byoc/rt/threads.h"

namespace byoc {

// A library, with a workspace and an instance of the model. Handles that are copied share these: only one of them may
// be used at a time. another() is for a second thread.
class BYOC_API LoadedModel {
 public:
  struct Impl;

  // Opens what load_module() accepts. Errors: its; a library without a model, or with several (they are listed).
  [[nodiscard]] static Result<LoadedModel> open(const std::string& path, Diagnostics& diags,
                                                const std::vector<std::string>& libraries = {});
  // `module`: the root of a model.
  [[nodiscard]] static Result<LoadedModel> of(const LoadedModule& module, Diagnostics& diags);
  // A model of the same library, with a workspace and an instance of its own.
  [[nodiscard]] Result<LoadedModel> another(Diagnostics& diags) const;

  [[nodiscard]] const ModelInterface& interface() const;  // without what steps leave in memory
  [[nodiscard]] const std::string& target() const;        // its name
  [[nodiscard]] const LoadedModule& module() const;
  [[nodiscard]] std::span<const IoTensor> inputs() const { return interface().inputs; }
  [[nodiscard]] std::span<const IoTensor> outputs() const { return interface().outputs; }

  // One run, with tensors in the model's order. If a tensor is not as required, nothing is written and the model is not
  // run. Errors: the number of tensors; a null pointer; another element type or shape; strides that are not those of
  // compact rows; another device; an address that is not aligned; a result of the model other than 0.
  Result<void> run(std::span<const byoc_dl_tensor_t* const> inputs, std::span<byoc_dl_tensor_t* const> outputs,
                   Diagnostics& diags);
  // Takes effect from the next run on, for a model that was exported with --threads; null: no threads any more. They
  // must outlive the runs. Error: a model without --threads.
  Result<void> set_threads(const byoc_threads_t* threads, Diagnostics& diags);
  // The state of a model that has one is what it was when it was opened. Error: what the model returns other than 0.
  Result<void> reset(Diagnostics& diags);

  explicit LoadedModel(std::shared_ptr<Impl> impl);
  [[nodiscard]] Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<Impl> impl_;
};

// The element type as DLPack has it.
[[nodiscard]] BYOC_API byoc_dl_data_type_t dl_data_type(DType dtype);

}  // namespace byoc
