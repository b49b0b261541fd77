// Options whose value is one of a few words.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "sdk/base/support/nearest.hpp"
#include "sdk/base/support/word_list.hpp"

namespace byoc::cli {

// The problem with a word that is none of `words`.
[[nodiscard]] inline std::string unknown_value(const std::string& word, const std::vector<std::string>& words) {
  return "has an unknown value" + did_you_mean(word, words) + " (found '" + word + "', expected " +
         word_list(words, "or") + ")";
}

[[nodiscard]] inline std::string braced(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& w : words) out += (out.empty() ? "{" : ",") + w;
  return out + "}";
}

// Accepts one of `words`, which --help lists.
[[nodiscard]] inline CLI::Validator one_of(std::vector<std::string> words) {
  const std::string description = braced(words);
  return {[words = std::move(words)](const std::string& word) {
            return std::find(words.begin(), words.end(), word) == words.end() ? unknown_value(word, words)
                                                                              : std::string();
          },
          description};
}

// Turns one of the words into the enumerator that it stands for.
template <class E>
  requires std::is_enum_v<E>
[[nodiscard]] CLI::Validator one_of(std::map<std::string, E> choices) {
  std::vector<std::string> words;
  for (const auto& [word, value] : choices) words.push_back(word);
  const std::string description = braced(words);
  return {[words = std::move(words), choices = std::move(choices)](std::string& word) {
            const auto at = choices.find(word);
            if (at == choices.end()) return unknown_value(word, words);
            word = std::to_string(static_cast<std::underlying_type_t<E>>(at->second));
            return std::string();
          },
          description};
}

}  // namespace byoc::cli
