#include "sdk/library/pack/static_library.hpp"

#include <charconv>
#include <string_view>

namespace byoc {
namespace {

constexpr std::string_view kLibraryMagic = "!<arch>\n";
constexpr std::size_t kMemberHeaderSize = 60;  // name 16, time 12, owner 6, group 6, mode 8, size 10, "`\n"

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string trimmed(std::string_view field) {
  const std::size_t end = field.find_last_not_of(' ');
  return std::string(field.substr(0, end == std::string_view::npos ? 0 : end + 1));
}

// "conv.o/", or "/123": at that offset of the table of long names, up to "/\n". "" if it is neither.
std::string member_name(const std::string& field, std::string_view long_names) {
  std::string name = field;
  if (name.size() > 1 && name[0] == '/') {
    std::size_t at = 0;
    const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), at);
    if (error != std::errc() || end != name.data() + name.size() || at >= long_names.size()) return {};
    name = std::string(long_names.substr(at, long_names.find('\n', at) - at));
  }
  if (name.ends_with('/')) name.pop_back();
  return name;
}

}  // namespace

Result<std::vector<LibraryObject>> list_static_library(std::span<const std::byte> archive, const std::string& name,
                                                       Diagnostics& diags) {
  const std::string_view text = text_of(archive);
  if (text.starts_with("!<thin>\n"))
    return diags.error(name, {}, "is a thin archive, which names files instead of holding them");
  if (!text.starts_with(kLibraryMagic)) return diags.error(name, {}, "is no static library");
  std::vector<LibraryObject> out;
  std::string_view long_names;
  for (std::size_t at = kLibraryMagic.size(); at < text.size();) {
    if (text.size() - at < kMemberHeaderSize || text.substr(at + 58, 2) != "`\n")
      return diags.error(name, {}, "is a damaged static library: no member at offset " + std::to_string(at));
    const std::string field = trimmed(text.substr(at, 16));
    const std::string length = trimmed(text.substr(at + 48, 10));
    std::size_t size = 0;
    const auto [end, error] = std::from_chars(length.data(), length.data() + length.size(), size);
    at += kMemberHeaderSize;
    if (error != std::errc() || end != length.data() + length.size() || size > text.size() - at)
      return diags.error(name, {}, "is a damaged static library: member '" + field + "' is cut");
    if (field == "//") {
      long_names = text.substr(at, size);
    } else if (field != "/" && field != "/SYM64/") {
      const std::string member = member_name(field, long_names);
      if (member.empty() || member.find('/') != std::string::npos)
        return diags.error(name, {}, "is a damaged static library: a member has no name", "'" + field + "'");
      out.push_back({member, archive.subspan(at, size)});
    }
    at += size + size % 2;  // members start at even offsets
  }
  return out;
}

Result<std::vector<std::pair<std::string, std::vector<std::byte>>>> read_static_library(
    std::span<const std::byte> archive, const std::string& name, Diagnostics& diags) {
  const auto members = list_static_library(archive, name, diags);
  if (!members) return failure;
  std::vector<std::pair<std::string, std::vector<std::byte>>> out;
  for (const LibraryObject& m : *members)
    out.emplace_back(m.name, std::vector<std::byte>(m.bytes.begin(), m.bytes.end()));
  return out;
}

}  // namespace byoc
