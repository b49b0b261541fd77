// A library of the system's that is used if it is there. Internal to this folder.
#pragma once

#include <dlfcn.h>

#include <string>

namespace byoc::evaluate {

// Loaded at first use and for good, as its functions may keep data of their own.
class SystemLibrary {
 public:
  explicit SystemLibrary(const char* name) : name_(name), handle_(::dlopen(name, RTLD_NOW | RTLD_LOCAL)) {}

  // The function called `name`, of the type that the library's header gives it; null where it is not there.
  template <class Function>
  [[nodiscard]] Function* function(const char* name) {
    auto* found = handle_ == nullptr ? nullptr : reinterpret_cast<Function*>(::dlsym(handle_, name));
    complete_ = complete_ && found != nullptr;
    return found;
  }
  // True if all requested functions were found.
  [[nodiscard]] bool complete() const { return complete_; }
  [[nodiscard]] std::string missing() const { return "a format that needs " + name_ + ", which is not installed"; }

 private:
  std::string name_;
  void* handle_;
  bool complete_ = true;
};

}  // namespace byoc::evaluate
