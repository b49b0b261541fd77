// Facts that pages and figures of this command line can be cited by.
#pragma once

#include <string>
#include <vector>

#include "byoc/target.hpp"
#include "sdk/base/page/page.hpp"

namespace CLI {
class App;
}

namespace byoc::cli {

// "--max-ram 40KiB", "--cycles": the options that were given, without those that say where files go or what is shown.
[[nodiscard]] std::vector<std::string> options_in_words(const CLI::App& command);

// The file of a model or library, its SHA-256 where it is a file, the target, the chip where that is one, the options.
[[nodiscard]] page::Facts page_facts(const CLI::App& command, const std::string& model, const TargetSpec* target);

// `html` with them.
[[nodiscard]] std::string page_with_facts(std::string html, const CLI::App& command, const std::string& model,
                                          const TargetSpec* target = nullptr);

}  // namespace byoc::cli
