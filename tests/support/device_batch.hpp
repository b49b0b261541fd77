// Many libraries in one firmware on a simulated board: few links and few starts of the simulator.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "byoc/target.hpp"
#include "sdk/support/diagnostics.hpp"

namespace byoc::test {

// A compiled model in a folder: <prefix>.a, <prefix>.h and <prefix>.in, the bytes of its inputs one after the other.
struct DeviceModel {
  struct Buffer {
    std::uint64_t bytes = 0;
    std::uint64_t align = 1;
  };
  std::string prefix;
  std::vector<Buffer> inputs, outputs;
  Buffer workspace, instance;        // instance of 0 bytes: stateless
  std::uint64_t constant_bytes = 0;  // of its objects

  [[nodiscard]] std::uint64_t ram() const;  // all buffers, with what surrounds them
  [[nodiscard]] std::string text() const;   // for parse()
  [[nodiscard]] static DeviceModel parse(const std::string& text);
};

// RAM for buffers, and memory for code and constants, that a firmware on the target's board has.
struct DeviceMemory {
  std::uint64_t ram = 0;
  std::uint64_t flash = 0;
};
[[nodiscard]] Result<DeviceMemory> device_memory(const TargetSpec& target, Diagnostics&);

struct DeviceOutcome {
  std::string problem;  // "" or what went wrong: a fault, a failure code, bytes written beside a buffer
  std::vector<std::byte> outputs;
};

// Links the models in `folder` into one firmware and runs each once. A model that faults ends the run; the simulator is
// started again for those behind it.
[[nodiscard]] Result<std::vector<DeviceOutcome>> run_on_device(const TargetSpec& target, const std::string& folder,
                                                               std::span<const DeviceModel> models, Diagnostics&);

}  // namespace byoc::test
