// The word that was meant where another one was written.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace byoc {

// The one of `words` that differs least from `word`, in upper and lower case alike; "" if none is near: within two
// characters that are missing, too many, wrong or in another's place, and a third of the length. The first of several.
[[nodiscard]] std::string nearest(std::string_view word, std::span<const std::string> words);

// "; did you mean X?", or "" if none of `words` is near.
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<const std::string> words);

}  // namespace byoc
