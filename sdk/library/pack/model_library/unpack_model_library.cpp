#include "sdk/library/pack/model_library/unpack_model_library.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "sdk/base/support/file.hpp"
#include "sdk/base/support/json.hpp"
#include "sdk/base/support/json_fields.hpp"
#include "sdk/base/support/output_set.hpp"
#include "sdk/library/pack/model_library/model_library_metadata.hpp"

namespace byoc {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;

// The entries of objects that are linked or carry something.
Result<std::set<std::string>> objects_of(const SortedJson& metadata, const std::string& path, Diagnostics& diags) {
  std::set<std::string> out;
  const SortedJson modules = metadata.value("modules", SortedJson::object());
  for (const auto& [name, module] : modules.items()) {
    if (!module.contains("x_byoc"))
      return diags.error(path, name, "the archive was written by another tool", "no x_byoc", "what byoc export wrote");
    const SortedJson& own = module.at("x_byoc");
    if (!own.contains("loader"))
      return diags.error(path, name, "nothing in the archive can be loaded: it was exported for a device",
                         own.at("target_spec").at("name").get<std::string>(), "a target with an operating system");
    out.insert(own.at("loader").get<std::string>());
    for (const SortedJson& object : own.value("objects", SortedJson::array()))
      out.insert(object.at("file").get<std::string>());
  }
  if (out.empty()) return diags.error(path, "metadata.json", "has no model that byoc exported");
  return out;
}

bool copy_entry(TarEntry& entry, const std::string& to, Diagnostics& diags) {
  OutputSet files(diags);
  bool read = true;
  const auto put = [&](int fd) {
    std::vector<std::byte> piece(kPiece);
    for (std::uint64_t left = entry.size; left != 0;) {
      const auto now = std::span(piece).first(static_cast<std::size_t>(std::min<std::uint64_t>(left, kPiece)));
      read = read && entry.read(now);
      if (!read) return true;  // has been reported
      if (!write_all(fd, now)) return false;
      left -= now.size();
    }
    return true;
  };
  return files.add(to, put) && read && files.commit();
}

}  // namespace

Result<std::vector<std::string>> unpack_model_library(const std::string& path, const std::string& directory,
                                                      Diagnostics& diags) {
  const auto text = read_metadata_text(path, diags);
  if (!text) return failure;
  std::set<std::string> wanted;
  try {
    auto objects = objects_of(parse_json(*text), path, diags);
    if (!objects) return failure;
    wanted = std::move(*objects);
  } catch (const SortedJson::exception& error) {
    return diags.error(path, "metadata.json", "is not as byoc writes it", problem(error));
  }
  std::vector<std::string> out;
  const auto visit = [&](TarEntry& entry) {
    if (wanted.erase(entry.name) == 0) return true;
    out.push_back(directory + "/" + std::to_string(out.size()) + ".o");
    return copy_entry(entry, out.back(), diags);
  };
  if (!read_tar(path, visit, diags)) return failure;
  if (!wanted.empty()) return diags.error(path, *wanted.begin(), "the archive has no file of this name");
  return out;
}

}  // namespace byoc
