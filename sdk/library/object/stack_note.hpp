// The .note.GNU-stack section, which says that an object needs no executable stack.
#pragma once

#include <cstddef>
#include <span>

namespace byoc {

// Makes the section inactive (SHT_NULL) in a little-endian ELF relocatable; anything else is left as it is.
//
// On Linux every object wants the note. On bare metal no stack is ever protected by it, arm-none-eabi-gcc does not
// write it, and GNU ld, as soon as one object of a link has it, warns of every other object that has not. LLVM always
// writes it, so it is taken out of objects for bare metal.
void drop_stack_note(std::span<std::byte> object);

}  // namespace byoc
