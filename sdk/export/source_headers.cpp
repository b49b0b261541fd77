#include "sdk/export/source_headers.hpp"

#include <filesystem>
#include <optional>
#include <set>

#include "sdk/base/support/file.hpp"
#include "sdk/base/support/valid_text.hpp"

namespace byoc {
namespace {

using Headers = std::map<std::string, std::string>;

struct Include {
  std::string name;  // "": computed
  bool quoted = false;
};

std::vector<Include> includes_of(std::string_view text) {
  std::vector<Include> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    const auto skip = [&] { line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size())); };
    skip();
    if (!line.starts_with('#')) continue;
    line.remove_prefix(1);
    skip();
    if (!line.starts_with("include")) continue;
    line.remove_prefix(7);
    skip();
    const bool quoted = line.starts_with('"');
    const std::size_t close =
        quoted || line.starts_with('<') ? line.find(quoted ? '"' : '>', 1) : std::string_view::npos;
    out.push_back(close == std::string_view::npos ? Include{}
                                                  : Include{std::string(line.substr(1, close - 1)), quoted});
  }
  return out;
}

// The headers that a module's text reaches; null if some may be missing.
std::optional<Headers> headers_of(const Module& m) {
  const CCode& c = *m.c();
  Headers found;
  std::vector<std::string> open{{reinterpret_cast<const char*>(m.bytes.data()), m.bytes.size()}};
  while (!open.empty()) {
    const std::string text = std::move(open.back());
    open.pop_back();
    for (const Include& include : includes_of(text)) {
      if (include.name.empty()) return std::nullopt;
      std::vector<std::string> folders = c.include_directories;
      if (include.quoted) folders.insert(folders.begin(), c.directory);
      for (const std::string& folder : folders) {
        std::error_code ignored;
        const std::string path = folder + "/" + include.name;
        if (!std::filesystem::is_regular_file(path, ignored)) continue;
        Diagnostics unreadable;
        auto header = read_text(path, unreadable);
        if (!header || !is_plain_path(include.name)) return std::nullopt;
        if (found.emplace(include.name, *header).second) open.push_back(std::move(*header));
        break;
      }
    }
  }
  return found;
}

}  // namespace

void take_headers(ModuleTree& tree) {
  std::vector<std::optional<Headers>> of(tree.modules.size());
  Headers all = tree.headers;
  std::set<std::string> unlike;
  for (std::size_t i = 0; i < of.size(); ++i) {
    if (tree.modules[i].c() == nullptr) continue;
    of[i] = headers_of(tree.modules[i]);
    if (!of[i]) continue;
    for (const auto& [name, text] : *of[i])
      if (const auto [at, fresh] = all.emplace(name, text); !fresh && at->second != text) unlike.insert(name);
  }
  for (std::size_t i = 0; i < of.size(); ++i) {
    if (!of[i]) continue;
    bool whole = true;
    for (const auto& [name, text] : *of[i]) whole = whole && !unlike.contains(name);
    if (!whole) continue;
    tree.headers.insert(of[i]->begin(), of[i]->end());
    tree.modules[i].c()->directory.clear();
    tree.modules[i].c()->include_directories.clear();
  }
}

}  // namespace byoc
