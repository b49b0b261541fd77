// The implementation of a loaded model. Internal to this folder.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "byoc/runtime.hpp"
#include "sdk/run/host/tensors.hpp"

namespace byoc {
namespace runtime {

inline constexpr std::size_t kMostFurtherWorkspaces = 3;

// Zeroed, at its alignment.
class Memory {
 public:
  Memory(std::uint64_t bytes, std::uint32_t align);
  ~Memory() { ::operator delete(data_, align_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  [[nodiscard]] void* data() const { return data_; }

 private:
  std::align_val_t align_;
  void* data_;
};

// <prefix>_run and its arguments (byoc/interface.hpp).
struct Call {
  Call() = default;
  Call(Call&&) = default;  // a copy's arguments would be the other's
  void* function = nullptr;
  std::vector<void*> inputs, outputs;  // laid out as <prefix>_inputs_t and <prefix>_outputs_t
  std::array<void*, 4 + kMostFurtherWorkspaces> arguments{};
  [[nodiscard]] std::int32_t operator()() const;
};

}  // namespace runtime

struct __attribute__((visibility("hidden"))) LoadedModel::Impl {
  LoadedModule module;
  ModelInterface interface;
  std::string target;
  std::string path;
  void* run = nullptr;
  using OfInstance = std::int32_t(void*);
  OfInstance *init = nullptr, *reset = nullptr, *deinit = nullptr;
  void (*set_devices)(void* instance, const void* devices) = nullptr;  // null: it has none
  std::vector<std::unique_ptr<runtime::Memory>> workspaces;
  std::unique_ptr<runtime::Memory> instance;
  bool ready = false;  // its instance is

  explicit Impl(LoadedModule root) : module(std::move(root)) {}
  ~Impl();

  Result<void> find_functions(Diagnostics&);
  Result<void> make_memory(Diagnostics&);
  Failure failed(const char* function, std::int32_t status, Diagnostics&) const;
  // The call on these tensors, which are checked. It is valid as long as they and this are.
  [[nodiscard]] Result<runtime::Call> prepare(std::span<const byoc_dl_tensor_t* const> inputs,
                                              std::span<byoc_dl_tensor_t* const> outputs, Diagnostics&) const;
};

}  // namespace byoc
