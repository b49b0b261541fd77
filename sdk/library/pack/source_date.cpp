#include "sdk/library/pack/source_date.hpp"

#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>

namespace byoc {

Result<std::uint64_t> source_date(Diagnostics& diags) {
  const char* text = std::getenv("SOURCE_DATE_EPOCH");
  if (text == nullptr || *text == 0) return std::uint64_t{0};
  const std::string_view all(text);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(all.data(), all.data() + all.size(), value);
  if (error != std::errc() || end != all.data() + all.size() || value > 253402300799)  // the year 9999
    return diags.error({}, "SOURCE_DATE_EPOCH", "is not a time", "'" + std::string(all) + "'", "seconds since 1970");
  return value;
}

}  // namespace byoc
