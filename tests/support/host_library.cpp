#include "tests/support/host_library.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "sdk/base/support/file.hpp"
#include "sdk/base/support/process.hpp"
#include "sdk/run/simulate/dump.hpp"
#include "tests/support/tensors.hpp"

namespace byoc::test {
namespace {

constexpr std::size_t kGuard = 64;
constexpr std::byte kJunk{0xa5};

// Memory of which exactly [data, data + size) may be touched.
class Guarded {
 public:
  Guarded(std::size_t size, std::size_t align) : size_(size) {
    // An address that is a multiple of `align` and of nothing larger.
    bytes_.assign(size + 2 * kGuard + 4 * align + 64, kJunk);
    auto at = reinterpret_cast<std::uintptr_t>(bytes_.data()) + kGuard;
    at += (2 * align - at % (2 * align)) % (2 * align) + align;
    data_ = reinterpret_cast<std::byte*>(at);
  }
  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_}; }
  [[nodiscard]] bool intact() const {
    const std::byte* begin = bytes_.data();
    const std::byte* end = begin + bytes_.size();
    const auto is_junk = [](std::byte b) { return b == kJunk; };
    return std::all_of(begin, static_cast<const std::byte*>(data_), is_junk) &&
           std::all_of(static_cast<const std::byte*>(data_) + size_, end, is_junk);
  }

 private:
  std::size_t size_;
  std::vector<std::byte> bytes_;
  std::byte* data_;
};

std::size_t element_align(DType dtype) { return std::max(bit_width(dtype) / 8, 1u); }

// The elements of a strided tensor, row-major.
std::vector<std::byte> gathered(const std::byte* from, const StoredTensor& t) {
  std::vector<std::byte> out;
  if (t.strides.empty()) {
    out.assign(from, from + t.bytes);
    return out;
  }
  const std::size_t size = element_align(t.dtype);
  std::vector<std::int64_t> at(t.dims.size(), 0);
  while (out.size() < t.bytes) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < at.size(); ++d) offset += at[d] * t.strides[d];
    out.insert(out.end(), from + offset, from + offset + size);
    for (std::size_t d = at.size(); d-- > 0;) {
      if (++at[d] < t.dims[d]) break;
      at[d] = 0;
    }
  }
  return out;
}

std::function<void(std::int32_t)> on_step;  // of the run under way

}  // namespace

// Called by roots that are compiled for tracing.
extern "C" __attribute__((visibility("default"))) void byoc_trace(std::int32_t step) {
  if (on_step) on_step(step);
}

std::unique_ptr<HostLibrary> HostLibrary::load(const Library& library, const std::string& keep, std::string& error,
                                               bool traced) {
  Diagnostics diags;
  auto scratch = TemporaryDirectory::create(diags);
  if (!scratch) {
    error = error_text(diags);
    return nullptr;
  }
  const std::string folder = keep.empty() ? scratch->path() : keep;
  const std::string& prefix = library.interface().prefix;
  const std::string archive = folder + "/" + prefix + ".a";
  const std::string object = folder + "/" + prefix + ".so";
  if (!write_library(library, archive, traced, diags)) {
    error = error_text(diags);
    return nullptr;
  }
  const auto linked =
      run_process({"ld", "-shared", "--whole-archive", archive, "--no-whole-archive", "-o", object}, diags);
  if (!linked || linked->exit_code != 0) {
    error = "cannot be linked: " + (linked ? linked->errors : error_text(diags));
    return nullptr;
  }
  std::unique_ptr<HostLibrary> out(new HostLibrary);
  out->interface_ = library.interface();
  out->handle_ = dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (out->handle_ != nullptr) out->run_ = dlsym(out->handle_, (prefix + "_run").c_str());
  if (out->run_ == nullptr) {
    error = "cannot be loaded: " + std::string(dlerror());
    return nullptr;
  }
  return out;
}

HostLibrary::~HostLibrary() {
  if (handle_ != nullptr) dlclose(handle_);
}

std::string HostLibrary::call(const char* phase) {
  void* function = dlsym(handle_, (interface_.prefix + "_" + phase).c_str());
  if (function == nullptr) return std::string("there is no _") + phase;
  const std::int32_t status = reinterpret_cast<std::int32_t (*)(void*)>(function)(instance_.data());
  return status == 0 ? "" : std::string("_") + phase + " returns " + std::to_string(status);
}

std::string HostLibrary::reset() { return instance_.empty() ? "" : call("reset"); }

std::string HostLibrary::run(std::span<const evaluate::Tensor> inputs, std::vector<evaluate::Tensor>& outputs) {
  return run_observed(inputs, outputs, nullptr);
}

std::string HostLibrary::run(std::span<const evaluate::Tensor> inputs, std::vector<evaluate::Tensor>& outputs,
                             Values& values) {
  return run_observed(inputs, outputs, &values);
}

std::string HostLibrary::run_observed(std::span<const evaluate::Tensor> inputs, std::vector<evaluate::Tensor>& outputs,
                                      Values* values) {
  if (inputs.size() != interface_.inputs.size())
    return "has " + std::to_string(interface_.inputs.size()) + " inputs, expected " + std::to_string(inputs.size());
  if (interface_.instance_bytes != 0 && instance_.empty()) {
    instance_.assign((interface_.instance_bytes + 7) / 8, 0xa5a5a5a5a5a5a5a5u);
    if (std::string problem = call("init"); !problem.empty()) return problem;
  }
  std::vector<Guarded> buffers;  // inputs, outputs, workspace
  std::vector<const void*> in;
  std::vector<void*> out;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const IoTensor& t = interface_.inputs[i];
    if (t.bytes != inputs[i].bytes.size())
      return "input " + t.name + " has " + std::to_string(t.bytes) + " bytes, expected " +
             std::to_string(inputs[i].bytes.size());
    buffers.emplace_back(t.bytes, element_align(t.dtype));
    if (t.bytes != 0) std::memcpy(buffers.back().data(), inputs[i].bytes.data(), t.bytes);
    in.push_back(buffers.back().data());
  }
  for (const IoTensor& t : interface_.outputs) {
    buffers.emplace_back(t.bytes, element_align(t.dtype));
    out.push_back(buffers.back().data());
  }
  buffers.emplace_back(interface_.workspace_bytes, interface_.workspace_align);
  void* workspace = buffers.back().data();
  if (values != nullptr)
    on_step = [&](std::int32_t step) {
      if (step < 0) return;
      for (const StoredTensor& t : interface_.steps.at(static_cast<std::size_t>(step)).results) {
        if (t.place == Place::constant || t.place == Place::input) continue;
        if (!t.channels.recoverable()) continue;
        const std::byte* const buffer = t.place == Place::instance ? std::as_bytes(std::span(instance_)).data()
                                        : t.place == Place::output ? buffers[inputs.size() + t.index].data()
                                                                   : buffers.back().data();
        auto [full, bytes] = with_all_channels(t, gathered(buffer + t.offset, t));
        (*values)[t.value] = {{full.dtype, full.dims, std::nullopt}, Blob::own(std::move(bytes))};
      }
    };
  using Stateless = std::int32_t (*)(const void*, const void*, void*);
  using Stateful = std::int32_t (*)(void*, const void*, const void*, void*);
  const std::int32_t status =
      instance_.empty() ? reinterpret_cast<Stateless>(run_)(in.data(), out.data(), workspace)
                        : reinterpret_cast<Stateful>(run_)(instance_.data(), in.data(), out.data(), workspace);
  on_step = nullptr;
  if (status != 0) return "_run returns " + std::to_string(status);
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].intact()) continue;
    const std::size_t outs = interface_.outputs.size();
    if (i < inputs.size()) return "writes beside input " + interface_.inputs[i].name;
    if (i < inputs.size() + outs) return "writes beside output " + interface_.outputs[i - inputs.size()].name;
    return "writes beside the workspace";
  }
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!std::ranges::equal(buffers[i].bytes(), inputs[i].bytes.bytes()))
      return "changes input " + interface_.inputs[i].name;
  outputs.clear();
  for (std::size_t i = 0; i < interface_.outputs.size(); ++i) {
    const IoTensor& t = interface_.outputs[i];
    const auto bytes = buffers[inputs.size() + i].bytes();
    outputs.push_back({{t.dtype, t.dims, std::nullopt}, Blob::own({bytes.begin(), bytes.end()})});
  }
  return "";
}

}  // namespace byoc::test
