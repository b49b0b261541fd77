// The implementation of a loaded model. Internal to this folder.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "byoc/runtime.hpp"
#include "sdk/run/calls/model_functions.hpp"
#include "sdk/run/host/tensors.hpp"

namespace byoc {
namespace runtime {

// Laid out as <prefix>_inputs_t and <prefix>_outputs_t.
struct Addresses {
  std::vector<void*> inputs, outputs;
};

// Functions of a module itself, by name; `diags` says what it does not have.
[[nodiscard]] calls::Find functions_of(const LoadedModule& module, Diagnostics& diags);

}  // namespace runtime

struct __attribute__((visibility("hidden"))) LoadedModel::Impl {
  LoadedModule module;
  ModelInterface interface;
  std::string target;
  std::string path;
  calls::ModelFunctions functions;
  void (*set_devices)(void* instance, const void* devices) = nullptr;  // null: it has none

  explicit Impl(LoadedModule root) : module(std::move(root)) {}

  Result<void> load(Diagnostics&);
  // The addresses of these tensors, which are checked.
  [[nodiscard]] Result<runtime::Addresses> addresses(std::span<const byoc_dl_tensor_t* const> inputs,
                                                     std::span<byoc_dl_tensor_t* const> outputs, Diagnostics&) const;
  [[nodiscard]] std::optional<calls::CallError> run(const runtime::Addresses& a) const {
    return functions.run(a.inputs.data(), a.outputs.data());
  }
  Result<void> said(const std::optional<calls::CallError>&, Diagnostics&) const;
};

}  // namespace byoc
