#include "sdk/run/calls/model_functions.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <utility>

namespace byoc::calls {

Memory::Memory(const BufferNeed& need) {
  const auto align = static_cast<std::align_val_t>(std::max<std::uint32_t>(need.align, 64));
  const auto bytes = static_cast<std::size_t>(need.bytes);
  data_ = {::operator new(std::max<std::size_t>(bytes, 1), align), Free{align}};
  std::memset(data_.get(), 0, bytes);
}

std::string CallError::text() const {
  return status ? function + " returned " + std::to_string(*status) : "the library has no function " + function;
}

Instance::~Instance() {
  if (deinit_ != nullptr) deinit_(memory_.data());
}

void Instance::allocate(const BufferNeed& need) {
  if (need.bytes != 0) memory_ = Memory(need);
}

std::optional<CallError> Instance::init(const Find& find, const std::string& prefix) {
  if (memory_.data() == nullptr) return std::nullopt;
  prefix_ = prefix;
  Function *first = nullptr, *last = nullptr;
  for (const auto& [suffix, to] : {std::pair("_init", &first), {"_reset", &reset_}, {"_deinit", &last}}) {
    *to = reinterpret_cast<Function*>(find(prefix + suffix));
    if (*to == nullptr) return CallError{prefix + suffix};
  }
  if (auto error = call("_init", first)) return error;
  deinit_ = last;
  return std::nullopt;
}

std::optional<CallError> Instance::call(const char* suffix, Function* function) const {
  const std::int32_t status = memory_.data() == nullptr ? 0 : function(memory_.data());
  return status == 0 ? std::nullopt : std::optional(CallError{prefix_ + suffix, status});
}

std::optional<CallError> ModelFunctions::load(const Find& find, const std::string& prefix, const BufferNeed& instance,
                                              std::span<const BufferNeed> workspaces) {
  assert(workspaces.size() <= kMostWorkspaces);
  prefix_ = prefix;
  run_ = find(prefix + "_run");
  if (run_ == nullptr) return CallError{prefix + "_run"};
  for (const BufferNeed& need : workspaces) workspaces_.emplace_back(need);
  instance_.allocate(instance);
  return instance_.init(find, prefix);
}

// The function takes pointers only. More arguments than it has are not seen by it, in every calling convention of the
// hosts that there are.
std::optional<CallError> ModelFunctions::run(void* const* inputs, void* const* outputs) const {
  using P = void*;
  using C = void* const*;
  std::array<P, kMostWorkspaces> w{};
  std::ranges::transform(workspaces_, w.begin(), &Memory::data);
  const auto call = [&]<class... First>(First... first) {
    using Any = std::int32_t(First..., P, P, P, P, P, P);
    return reinterpret_cast<Any*>(run_)(first..., w[0], w[1], w[2], w[3], w[4], w[5]);
  };
  P const i = instance_.data();
  const std::int32_t status = i == nullptr ? call.template operator()<C, C>(inputs, outputs)
                                           : call.template operator()<P, C, C>(i, inputs, outputs);
  return status == 0 ? std::nullopt : std::optional(CallError{prefix_ + "_run", status});
}

}  // namespace byoc::calls
