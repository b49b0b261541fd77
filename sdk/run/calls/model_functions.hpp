// A model's functions in a library that this process has loaded, and the memory that they are given: <prefix>_run, and
// <prefix>_init, _reset and _deinit where the model has an instance (byoc/interface.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace byoc::calls {

// Size and alignment of a buffer.
struct BufferNeed {
  std::uint64_t bytes = 0;
  std::uint32_t align = 1;
};

// A buffer, zeroed, at a multiple of 64 bytes at least. Throws std::bad_alloc.
class Memory {
 public:
  Memory() = default;
  explicit Memory(const BufferNeed& need);
  [[nodiscard]] void* data() const { return data_.get(); }

 private:
  struct Free {
    std::align_val_t align;
    void operator()(void* data) const { ::operator delete(data, align); }
  };
  std::unique_ptr<void, Free> data_;
};

// The address of a function of the library; null: it has none of this name.
using Find = std::function<void*(const std::string& name)>;

struct CallError {
  std::string function;
  std::optional<std::int32_t> status = {};  // nothing: the library does not have the function
  // "the library has no function m_run", "m_run returned 3"
  [[nodiscard]] std::string text() const;
};

// The instance of a model, from _init to _deinit. With a size of 0 there is none, and nothing is called.
class Instance {
 public:
  Instance() = default;
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  void allocate(const BufferNeed& need);
  [[nodiscard]] std::optional<CallError> init(const Find& find, const std::string& prefix);
  [[nodiscard]] std::optional<CallError> reset() const { return call("_reset", reset_); }
  [[nodiscard]] void* data() const { return memory_.data(); }  // null: there is none

 private:
  using Function = std::int32_t(void*);
  [[nodiscard]] std::optional<CallError> call(const char* suffix, Function* function) const;

  std::string prefix_;
  Memory memory_;
  Function *reset_ = nullptr, *deinit_ = nullptr;
};

class ModelFunctions {
 public:
  static constexpr std::size_t kMostWorkspaces = 6;

  // Finds the functions, allocates the memory and initialises the instance. `workspaces` are at most kMostWorkspaces.
  [[nodiscard]] std::optional<CallError> load(const Find& find, const std::string& prefix, const BufferNeed& instance,
                                              std::span<const BufferNeed> workspaces);
  // `inputs` and `outputs` are laid out as <prefix>_inputs_t and <prefix>_outputs_t.
  [[nodiscard]] std::optional<CallError> run(void* const* inputs, void* const* outputs) const;
  [[nodiscard]] std::optional<CallError> reset() const { return instance_.reset(); }
  [[nodiscard]] void* instance() const { return instance_.data(); }

 private:
  std::string prefix_;
  void* run_ = nullptr;
  Instance instance_;
  std::vector<Memory> workspaces_;
};

}  // namespace byoc::calls
