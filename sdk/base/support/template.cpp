#include "sdk/base/support/template.hpp"

#include <algorithm>
#include <cassert>

namespace byoc {
namespace {

std::string fill_text(std::string_view text, const std::map<std::string, std::string>& fields) {
  std::string out;
  while (true) {
    const std::size_t at = text.find('@');
    out += text.substr(0, at);
    if (at == std::string_view::npos) return out;
    const std::size_t end = text.find('@', at + 1);
    assert(end != std::string_view::npos);
    const auto field = fields.find(std::string(text.substr(at + 1, end - at - 1)));
    assert(field != fields.end());
    out += field->second;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::string fill_template(EmbeddedFiles files, std::string_view file,
                          const std::map<std::string, std::string>& fields) {
  const auto it = std::find_if(files.begin(), files.end(), [&](const auto& f) { return f.first == file; });
  assert(it != files.end());
  return fill_text(it->second, fields);
}

}  // namespace byoc
