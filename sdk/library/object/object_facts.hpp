// The attributes of an object file, and the check that they fit a target.
//
// Linkers do not check this for us: GNU ld and lld accept Armv5TE code in ARM state beside Cortex-M4, lld accepts hard
// beside soft float, and ar accepts anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "byoc/target.hpp"
#include "sdk/base/support/diagnostics.hpp"

namespace byoc {

// Build attributes of the Arm ABI ("Addenda to, and Errata in, the ABI for the Arm Architecture"), absent if not said.
struct ArmAttributes {
  std::optional<unsigned> cpu_arch;          // 6
  std::optional<unsigned> cpu_arch_profile;  // 7, 'A' 'R' 'M'
  std::optional<unsigned> arm_isa_use;       // 8
  std::optional<unsigned> thumb_isa_use;     // 9
  std::optional<unsigned> fp_arch;           // 10
  std::optional<unsigned> simd_arch;         // 12
  std::optional<unsigned> wchar_size;        // 18
  std::optional<unsigned> enum_size;         // 26
  std::optional<unsigned> hard_fp_use;       // 27
  std::optional<unsigned> vfp_args;          // 28
  std::optional<unsigned> fp16_format;       // 38
  std::optional<unsigned> dsp_extension;     // 46
  std::optional<unsigned> mve_arch;          // 48
};

struct ObjectSymbol {
  std::string name;
  std::string section;  // "" for absolute and common symbols
  std::uint64_t size = 0;
  bool function = false;
  bool weak = false;  // or common, or of a group: another definition may stand beside it
  bool hidden = false;
};

struct ObjectSection {
  std::string name;
  std::uint64_t size = 0;
  std::uint64_t align = 1;
  bool allocated = false, writable = false, executable = false,
       zeroed = false;         // SHF_ALLOC, _WRITE, _EXECINSTR; NOBITS
  bool per_thread = false;     // SHF_TLS
  bool start_up_code = false;  // addresses of what is to run before main() or after it: .init_array, .ctors ...
};

struct ObjectFacts {
  std::uint16_t type = 0;     // ET_*
  std::uint16_t machine = 0;  // EM_*
  bool wide = false;          // ELFCLASS64
  bool big_endian = false;
  std::uint32_t flags = 0;  // e_flags
  ArmAttributes arm;
  std::string riscv_arch;  // "rv32i2p1_m2p0_c2p0", "" if not said
  std::string xtensa_abi;  // "windowed" or "call0" of the section .xtensa.info, "" if not said
  // The number of attribute sections: there is a second one where assembly changed its attributes (.fpu, .arch in a
  // function). The members above are then those of the first section only.
  unsigned attribute_sections = 0;
  bool defines_functions = false;
  std::vector<ObjectSymbol> defined;              // global and weak definitions, in the order of the file
  std::vector<std::string> undefined;             // global references, sorted
  std::vector<std::string> undefined_per_thread;  // those of them that are of a thread, as picolibc's errno
  std::vector<ObjectSection> sections;
};

// Errors: not ELF, or malformed. `name` is for diagnostics.
[[nodiscard]] Result<ObjectFacts> read_object_facts(std::span<const std::byte> object, const std::string& name,
                                                    Diagnostics&);

// The name of an e_machine: "aarch64", "x86-64"; "machine 8" for an unknown one.
[[nodiscard]] std::string machine_name(std::uint16_t machine);

// Fails with one error for every field that does not fit `target`, naming `module`, the field, what was found and what
// was expected; and for what cannot be proven or be had there: an object of GIMPLE alone, more than one set of
// attributes, on bare metal start-up code, variables of threads, sections that are written and executed. Warns of what
// may be meant. An absent attribute makes no claim, with one exception: an object that defines functions and does not
// say how floats are passed follows the base standard, that is the soft convention.
Result<void> check_object(const ObjectFacts&, const TargetSpec& target, const std::string& module, Diagnostics&);

// Checks a linked image: machine, architecture, extensions and float convention, as its attributes say, must be those
// of `target`.
Result<void> check_image(const ObjectFacts&, const TargetSpec& target, const std::string& image, Diagnostics&);

}  // namespace byoc
