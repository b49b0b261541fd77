// Text of others that would mean something else where it is not quoted.
#pragma once

#include <string>
#include <vector>

namespace byoc::test {

// Each byte in the middle and at both ends, and what ends a text or begins a command in some language.
inline std::vector<std::string> hostile_texts() {
  std::vector<std::string> out{
      "a;touch PWNED;b",
      "$(shell touch PWNED)",
      "$(touch PWNED)",
      "${IFS}",
      "${VAR}",
      "@VAR@",
      "`touch PWNED`",
      "a:=b",
      "a =b",
      "a=b",
      "-mcpu=a",
      "a|b",
      "|",
      "a&b",
      "*",
      "a?",
      "[ab]",
      "~root",
      "a(b)",
      "lib(b) c",
      "a\\ b",
      "a\\\\#b",
      "a #b",
      "%",
      "a%b",
      "%s%n",
      "a\nb: c",
      "a\r\nb",
      "-include",
      "\xe2\x80\xaegnp",                // right to left
      "\xe2\x81\xa6x\xe2\x81\xa9",      // isolated
      "a\xe2\x80\xa8 b",                // an end of a line of Unicode's
      "\xc2\x85x",                      // another
      "\xef\xbf\xbe\xef\xbb\xbf",       // no character, and a mark of byte order
      "\xf0\x9f\x98\x80\xed\xa0\x80x",  // one beyond 16 bits, and half of one
      "a b",
      " a",
      "a ",
      "$$",
      "a$b c#d:e",
      "'q'",
      "\"q\"",
      "'''",
      "\"\"\"",
      "*/",
      "/*",
      "//",
      "*//*/",
      "a\\",
      "\?\?/",
      "</script><script>alert(1)</script>",
      "<!--",
      "]]>",
      "&lt;&#60;",
      "[a](javascript:b)",
      "{{a}}",
      "\\u0041\\x41\\101\\N{BULLET}",
  };
  for (int byte = 1; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    out.push_back(std::string{'x', c, 'y'} + std::to_string(byte));
    out.push_back(std::string{c} + "first" + std::to_string(byte));
    out.push_back("last" + std::to_string(byte) + std::string{c});
  }
  return out;
}

}  // namespace byoc::test
