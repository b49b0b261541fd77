// Text of others for a terminal. It could hide messages, forge lines of them, turn the order of characters around, or
// set a terminal's title or keys (CWE-150, CWE-451).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace byoc {

// The text on one line: each byte of what has an effect and no shape is shown as \x1b. These are the control characters
// of ISO/IEC 6429, ends of lines and tabs among them, those of Unicode that change the direction of text or end a line
// (Unicode Standard Annex 9), those that are none (its section 23.7), and bytes that are no UTF-8.
[[nodiscard]] std::string visible_text(std::string_view text);
// The text with its ends of lines and tabs.
[[nodiscard]] std::string visible_multiline(std::string_view text);

// The text with what `spelled` makes of each character without a shape, and of each byte that is no UTF-8 (code 0).
using Spelled = std::string (*)(std::uint32_t code, std::string_view bytes);
[[nodiscard]] std::string with_shapes(std::string_view text, Spelled spelled);

// A stream of such text, in which ends of lines and tabs stay.
class VisibleStream {
 public:
  // The characters that are whole so far: the first bytes of one wait for its others.
  [[nodiscard]] std::string show(std::string_view text);

 private:
  std::string begun_;
};

}  // namespace byoc
