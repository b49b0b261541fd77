// Sections that travel in a relocatable and get into no program: they are not allocated, nothing refers to them, and
// every final link leaves them out (SHF_EXCLUDE). A partial link keeps them, as archives do.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "byoc/target.hpp"
#include "sdk/base/support/diagnostics.hpp"

namespace byoc {

struct CarriedSection {
  std::string name;  // ".byoc.tree.kws"
  std::span<const std::byte> bytes;
};

// An object of the target with these sections, each at a multiple of 16, and no symbol. Errors: a target whose objects
// byoc cannot write; more than its ELF class can hold.
[[nodiscard]] Result<std::vector<std::byte>> write_carried_sections(const TargetSpec& target,
                                                                    const std::vector<CarriedSection>& sections,
                                                                    Diagnostics&);

// The sections of an object whose names start with `prefix`, in its order; they point into it. `name` is for
// diagnostics. Errors: no ELF object, malformed.
[[nodiscard]] Result<std::vector<CarriedSection>> read_carried_sections(std::span<const std::byte> object,
                                                                        std::string_view prefix,
                                                                        const std::string& name, Diagnostics&);

}  // namespace byoc
