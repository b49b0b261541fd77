// Assembly as disassemblers print it, taken apart: "ldr.w r0, [r1, #4]!", "ldm r5!, {r2, r3}".
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace byoc {

// Operands; a list in braces or an address in brackets is one.
[[nodiscard]] std::vector<std::string_view> split_operands(std::string_view operands);

// The number of words in a list such as "{r4, r5, pc}" or "{d8, d9}".
[[nodiscard]] unsigned words_of_list(std::string_view list);

// Adds the registers that a text has: 0 to 15 of the core, from 16 on the single words of the FPU's, so that d1 is 18
// and 19, and q1 is 20 to 23. Understands r9 as sb, r10 as sl, r11 as fp, r12 as ip, and ranges as d8-d11.
void add_registers(std::string_view text, std::vector<std::uint8_t>& registers);

// Calls found(name), which says whether the name was known, with what `mnemonic` may be a form of, likely ones first:
// without types, the condition, the s of flags, the t or e of predicated vectors, the letters of ITTE.
template <class Found>
bool find_mnemonic(std::string_view mnemonic, const Found& found) {
  constexpr std::string_view kConditions = "eq ne hs lo cs cc mi pl vs vc hi ls ge lt gt le ";
  const std::string_view name = mnemonic.substr(0, mnemonic.find('.'));
  if (found(name)) return true;
  if (name.starts_with("it") && name.find_first_not_of("te", 2) == std::string_view::npos) return found("it");
  if (name.size() > 2) {
    const std::size_t at = kConditions.find(name.substr(name.size() - 2));
    if (at != std::string_view::npos && at % 3 == 0 && found(name.substr(0, name.size() - 2))) return true;
  }
  const bool flags = name.ends_with('s'),
             predicated = name.starts_with('v') && (name.ends_with('t') || name.ends_with('e'));
  return (flags || predicated) && found(name.substr(0, name.size() - 1));
}

// True if a list of names, separated by spaces, has this one.
[[nodiscard]] bool lists(std::string_view names, std::string_view name);

}  // namespace byoc
