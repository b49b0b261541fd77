// One kernel that could compute a layer, with the layer's cost in it.
#pragma once

#include <cstdint>
#include <string>

namespace byoc::layers {

// The number of operations in one call of a kernel. Each is weighed by a coefficient of the kernel (cost_table.hpp);
// rounding up to whole blocks is included.
struct Work {
  double starts = 0;    // of inner loops
  double rows = 0;      // of windows, planes or matrices that are looked up
  double copied = 0;    // elements that are copied out of the image first
  double results = 0;   // sums that are requantised
  double products = 0;  // multiplications and additions
};

struct KernelOption {
  std::string kernel = {};      // without "byoc_" and without what its form of scaling adds: "conv_s8_dsp"
  std::string way = {};         // through the kernel, where ways have costs of their own: "3x3"
  Work work = {};               // of one call
  std::uint64_t constants = 0;  // bytes of flash: weights as this kernel wants them, tables
  std::uint64_t workspace = 0;  // bytes of RAM
  double reads = 0;             // bytes of constants that one call reads, as often as it does; 0: not said
  std::string suffix = {};      // of its form of scaling: "_onnx". Layers share the code of one kernel in one form
  // The results of costs(); 0 if the table has no row.
  double instructions = 0;       // of one call
  double cycles = 0;             // the same, on CPUs whose cycles are estimated
  std::uint64_t code_bytes = 0;  // of flash, once for all layers

  // The measure by which options are compared: all kernels of a CPU have the same one.
  [[nodiscard]] double time() const { return cycles > 0 ? cycles : instructions; }
};

}  // namespace byoc::layers
