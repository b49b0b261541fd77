// Lists of words in messages.
#pragma once

#include <cstddef>
#include <string>

namespace byoc {

// "a", "a or b", "a, b or c" for the word "or" in front of the last.
template <class Words>
[[nodiscard]] std::string word_list(const Words& words, const std::string& last) {
  std::string out;
  std::size_t i = 0;
  for (const auto& word : words) {
    if (i != 0) out += i + 1 == words.size() ? " " + last + " " : ", ";
    out += word;
    ++i;
  }
  return out;
}

}  // namespace byoc
