// The second name of a public function, which ties a program to the library whose header it was compiled with: another
// export has another one. Linkers show it where it is not defined, so it says what is wrong.
#pragma once

#include <string>
#include <string_view>

namespace byoc {

inline constexpr std::string_view kTie = "__header_is_of_another_export_";

// "kws_run__header_is_of_another_export_3f2a91c0"; `layout` is hexadecimal digits.
[[nodiscard]] inline std::string tied_name(const std::string& function, const std::string& layout) {
  return function + std::string(kTie) + layout;
}

[[nodiscard]] inline bool is_tied_name(std::string_view symbol) { return symbol.find(kTie) != std::string_view::npos; }

// "kws_run" of that.
[[nodiscard]] inline std::string untied_name(const std::string& symbol) { return symbol.substr(0, symbol.find(kTie)); }

}  // namespace byoc
