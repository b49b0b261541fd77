// The contents of a file of weights, for people and for programs.
#pragma once

#include <string>

#include "sdk/library/weights/read.hpp"

namespace byoc::weights {

[[nodiscard]] std::string contents_text(const Weights& weights);
// docs/formats.md, "Weights".
[[nodiscard]] std::string contents_json(const Weights& weights);

// The contents as a page for people, under a title.
[[nodiscard]] std::string contents_page(const Weights& weights, const std::string& title);

}  // namespace byoc::weights
