// Compiling and linking the program around the model with the target's GNU compiler.
#pragma once

#include <string>
#include <vector>

#include "sdk/run/simulate/board.hpp"
#include "sdk/run/simulate/elf_sizes.hpp"
#include "sdk/run/simulate/firmware.hpp"

namespace byoc {

struct LinkRequest {
  const TargetSpec& target;
  const Machine& machine;
  const ModelInterface& model;
  std::string firmware;                // what compile_firmware() has made for target and machine; absolute
  std::string directory;               // where everything else is written; private to this link
  std::string header;                  // absolute; "": a header is made of `model`
  std::string archive;                 // absolute; a .so is found at run time in its folder
  std::vector<std::string> libraries;  // linked after it; absolute, or -l<name>
  RunPlan plan = {};
  std::vector<DumpPiece> dumps;
  std::string weights = {};                      // object that the model binds; absolute, "": none
  std::vector<std::string> link_libraries = {};  // what plug-ins want linked, for those who have to find it: "acme"
  bool wants_sizes = true;                       // links the program without the model, too
};

struct LinkedProgram {
  std::string path;
  ElfSizes sizes;                  // what the model brought, where that was wanted
  std::vector<Memory> flash = {};  // where code and constants are, of a board
};

// Linker script of the machine's memories, for firmware.ld. Not bounded: regions that nothing overflows, to learn
// sizes.
[[nodiscard]] std::string memory_script(const Machine& machine, const Placement& placement, bool bounded);
// Linker script of the target's flash memories that have sections of their own.
[[nodiscard]] std::string flash_script(const TargetSpec& target);
// The memory of the machine that stands for the pool of a variable: the one of its name, else one that nothing else is
// in, else that of all RAM.
[[nodiscard]] std::size_t memory_of(const Machine&, const Placement&, const PoolVariable&);
// Linker script of the variables that are in memories of their own. Stands before firmware.ld, which takes the others.
[[nodiscard]] std::string pools_script(const Machine&, const Placement&, const ModelInterface&);

// Compiles into `directory` what is the same around every model. Errors: no compiler, or what it says.
[[nodiscard]] Result<void> compile_firmware(const TargetSpec&, const Machine&, const std::string& directory,
                                            Diagnostics&);

[[nodiscard]] Result<LinkedProgram> link_program(const LinkRequest&, Diagnostics&);

}  // namespace byoc
