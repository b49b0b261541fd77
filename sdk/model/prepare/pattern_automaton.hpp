// Regular expressions as finite automata over bytes. Internal to this folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace byoc {

// Begins in state 0. A byte that ends a string is 0, and leaves the state as it is.
struct PatternAutomaton {
  std::vector<std::uint8_t> kind_of;  // of each byte, 256; kind 0 is that of byte 0 alone
  std::size_t kinds = 0;
  std::vector<std::uint16_t> next;    // [states][kinds]
  std::vector<std::uint8_t> accepts;  // of each state
};

// The automaton of a pattern in RE2's syntax that has to match the whole of a text in UTF-8. Nullopt for unsupported
// syntax (flags, Unicode classes), and for automata that are too large.
[[nodiscard]] std::optional<PatternAutomaton> automaton_of(std::string_view pattern);

}  // namespace byoc
