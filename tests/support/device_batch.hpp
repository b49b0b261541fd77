// Many libraries in one program: few links, and few starts of a simulator. A program for a simulated board, or for this
// machine, where it may be compiled with sanitizers.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "byoc/target.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/export/export.hpp"
#include "sdk/model/evaluate/evaluate.hpp"

namespace byoc::test {

// A compiled model in a folder: <prefix>.a, <prefix>.h and <prefix>.in, the bytes of its inputs one after the other.
struct DeviceModel {
  struct Buffer {
    std::uint64_t bytes = 0;
    std::uint64_t align = 1;
  };
  // A graph value that is in memory when the step has run: `bytes` of a buffer from `offset` on have its elements.
  struct Watched {
    std::uint32_t step = 0;
    std::uint32_t buffer = 0;  // inputs, outputs, workspace, instance
    std::uint64_t bytes = 0;
    StoredTensor tensor;  // place and index left out
  };
  std::string prefix;
  std::vector<Buffer> inputs, outputs;
  Buffer workspace, instance;        // instance of 0 bytes: stateless
  std::uint64_t constant_bytes = 0;  // of its objects
  bool constants_in_c = false;       // <prefix>_constants.c has them, the archive does not
  std::vector<Watched> watched;      // none unless the archive is compiled for tracing

  [[nodiscard]] std::uint64_t ram() const;  // all buffers, with what surrounds them
  [[nodiscard]] std::string text() const;   // for parse()
  [[nodiscard]] static DeviceModel parse(const std::string& text);
};

struct DeviceBuild {
  bool traced = false;          // every value that is in memory is watched
  bool constants_in_c = false;  // so that a compiler with sanitizers guards them
};
// Puts a compiled library into the folder; `inputs` are what it will be run on. Its files can go afterwards.
[[nodiscard]] Result<DeviceModel> add_to_batch(Library library, const std::string& folder, const DeviceBuild& build,
                                               std::span<const evaluate::Tensor> inputs, Diagnostics&);

// This machine, with programs that Clang makes with ASan and UBSan: what they find ends the program. For libraries that
// are exported with Job::sanitize.
inline constexpr const char* kSanitizers = "address,undefined";
[[nodiscard]] Result<TargetSpec> sanitized_host(Diagnostics&);

// RAM for buffers, and memory for code and constants, that a firmware on the target's board has.
struct DeviceMemory {
  std::uint64_t ram = 0;
  std::uint64_t flash = 0;
};
[[nodiscard]] Result<DeviceMemory> device_memory(const TargetSpec& target, Diagnostics&);

struct DeviceOutcome {
  std::string problem;  // "" or what went wrong: a fault, a failure code, bytes written beside a buffer
  std::vector<std::byte> outputs;
  std::map<std::uint32_t, std::vector<std::byte>> watched;  // by index of DeviceModel::watched: the bytes there
};

// Links the models in `folder` into one firmware and runs each once. A model that faults ends the run; the simulator is
// started again for those behind it.
[[nodiscard]] Result<std::vector<DeviceOutcome>> run_on_device(const TargetSpec& target, const std::string& folder,
                                                               std::span<const DeviceModel> models, Diagnostics&);

// The same for any number of models: in as many programs as the memory asks for. A library that does not link fails
// alone.
[[nodiscard]] std::vector<DeviceOutcome> run_batches(const TargetSpec& target, const DeviceMemory& memory,
                                                     const std::string& folder, std::span<const DeviceModel> models);

}  // namespace byoc::test
