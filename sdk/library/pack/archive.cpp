#include "sdk/library/pack/archive.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

#include "sdk/base/support/file.hpp"
#include "sdk/library/object/blob_stream.hpp"
#include "sdk/library/object/object_facts.hpp"

namespace byoc {
namespace {

constexpr std::string_view kMagic = "!<arch>\n";
constexpr std::uint64_t kHeaderSize = 60;
constexpr std::uint64_t kMaximumMember = 9999999999;  // ten decimal digits

// ar(5): name, time, owner, group, mode in octal, size, each left-aligned and padded with spaces.
std::string header(const std::string& name, std::uint64_t size, const char* mode) {
  std::array<char, kHeaderSize + 1> text;
  const bool bare = *mode == 0;  // the long-name table has nothing but a size
  std::snprintf(text.data(), text.size(), "%-16s%-12s%-6s%-6s%-8s%-10llu`\n", name.c_str(), bare ? "" : "0",
                bare ? "" : "0", bare ? "" : "0", mode, static_cast<unsigned long long>(size));
  return text.data();
}

std::string big_endian(std::uint64_t value, int bytes) {
  std::string out;
  for (int i = bytes - 1; i >= 0; --i) out += static_cast<char>(value >> (8 * i) & 0xff);
  return out;
}

std::uint64_t even(std::uint64_t n) { return n + (n & 1); }

std::uint64_t content_size(const ArchiveMember& m) {
  if (const auto* bytes = std::get_if<std::vector<std::byte>>(&m.content)) return bytes->size();
  return std::get<ConstantObject>(m.content).size();
}

Result<std::vector<Definition>> definitions(const ArchiveMember& m, Diagnostics& diags) {
  std::vector<Definition> out;
  if (const auto* constants = std::get_if<ConstantObject>(&m.content)) {
    for (const std::string& s : constants->global_symbols()) out.push_back({s, false});
    return out;
  }
  const auto take = [&](const ObjectFacts& facts) {
    for (const ObjectSymbol& s : facts.defined) out.push_back({s.name, s.weak});
  };
  if (m.facts != nullptr) {
    take(*m.facts);
    return out;
  }
  const auto facts = read_object_facts(std::get<std::vector<std::byte>>(m.content), m.name, diags);
  if (!facts) return failure;
  take(*facts);
  return out;
}

void check_names(const std::vector<ArchiveMember>& members, Diagnostics& diags) {
  std::map<std::string, int> seen;
  for (const ArchiveMember& m : members) {
    const bool bad = m.name.empty() || std::any_of(m.name.begin(), m.name.end(),
                                                   [](unsigned char c) { return c == '/' || c < 0x20 || c == 0x7f; });
    if (bad) diags.error({}, m.name, "cannot be the name of an archive member");
    if (++seen[m.name] == 2) diags.error({}, m.name, "two archive members have this name");
  }
}

void check_sizes(const std::vector<ArchiveMember>& members, Diagnostics& diags) {
  for (const ArchiveMember& m : members)
    if (content_size(m) > kMaximumMember)
      diags.error({}, m.name, "is too large for an archive member", std::to_string(content_size(m)) + " bytes",
                  "less than 10 GB");
}

// All definitions of each member; two strong ones of one symbol are an error.
Result<std::vector<std::vector<Definition>>> all_definitions(const std::vector<ArchiveMember>& members,
                                                             Diagnostics& diags) {
  const std::size_t before = diags.count();
  std::vector<std::vector<Definition>> out;
  std::map<std::string, std::string> strong;
  for (const ArchiveMember& m : members) {
    auto mine = definitions(m, diags);
    if (!mine) continue;
    for (const Definition& d : *mine) {
      if (d.weak) continue;
      const auto [it, is_new] = strong.emplace(d.symbol, m.name);
      if (!is_new) diags.error({}, d.symbol, "is defined twice", it->second + " and " + m.name, "one definition");
    }
    out.push_back(std::move(*mine));
  }
  if (diags.count() != before) return failure;
  return out;
}

}  // namespace

Result<std::vector<std::vector<Definition>>> check_members(const std::vector<ArchiveMember>& members,
                                                           Diagnostics& diags) {
  const std::size_t before = diags.count();
  check_names(members, diags);
  if (diags.count() != before) return failure;
  return all_definitions(members, diags);
}

Result<Archive> Archive::create(std::vector<ArchiveMember> members, Diagnostics& diags, std::uint64_t narrow_limit) {
  const std::size_t before = diags.count();
  check_sizes(members, diags);
  auto defined = check_members(members, diags);
  if (!defined || diags.count() != before) return failure;

  Archive a;
  std::string long_names;
  std::vector<std::string> names;
  for (const ArchiveMember& m : members) {
    if (m.name.size() <= 15) {
      names.push_back(m.name + "/");
    } else {
      names.push_back("/" + std::to_string(long_names.size()));
      long_names += m.name + "/\n";
    }
  }
  if (long_names.size() & 1) long_names += '\n';
  std::uint64_t symbols = 0, symbol_text = 0, content = 0;
  for (const auto& list : *defined)
    for (const Definition& d : list) {
      ++symbols;
      symbol_text += d.symbol.size() + 1;
    }
  for (const ArchiveMember& m : members) content += kHeaderSize + even(content_size(m));

  // The offsets of the symbol table have four bytes, and eight where the last member starts too far away.
  const auto table_size = [&](std::uint64_t width) { return even(width + width * symbols + symbol_text); };
  const auto fixed = [&](std::uint64_t width) {
    return kMagic.size() + (symbols ? kHeaderSize + table_size(width) : 0) +
           (long_names.empty() ? 0 : kHeaderSize + long_names.size());
  };
  const bool wide = fixed(4) + content > narrow_limit;
  const int width = wide ? 8 : 4;
  std::uint64_t at = fixed(static_cast<std::uint64_t>(width));
  std::string table = big_endian(symbols, width), table_names;
  for (std::size_t i = 0; i < members.size(); ++i) {
    for (const Definition& d : (*defined)[i]) {
      table += big_endian(at, width);
      table_names += d.symbol + '\0';
    }
    a.headers_.push_back(header(names[i], content_size(members[i]), "644"));
    a.offsets_.push_back(at + kHeaderSize);
    at += kHeaderSize + even(content_size(members[i]));
  }
  table += table_names;
  if (table.size() & 1) table += '\0';
  a.head_ = kMagic;
  if (symbols) a.head_ += header(wide ? "/SYM64/" : "/", table.size(), "0") + table;
  if (!long_names.empty()) a.head_ += header("//", long_names.size(), "") + long_names;
  a.members_ = std::move(members);
  a.size_ = at;
  return a;
}

bool Archive::write(int fd) const {
  const auto put = [fd](std::string_view text) { return write_all(fd, std::as_bytes(std::span(text))); };
  if (!put(head_)) return false;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (!put(headers_[i])) return false;
    const ArchiveMember& m = members_[i];
    const auto* bytes = std::get_if<std::vector<std::byte>>(&m.content);
    if (bytes ? !write_all(fd, *bytes) : !std::get<ConstantObject>(m.content).write(fd)) return false;
    if ((content_size(m) & 1) && !put("\n")) return false;
  }
  return true;
}

}  // namespace byoc
