#include <archive.h>
#include <archive_entry.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "sdk/pack/model_library.hpp"
#include "sdk/support/file.hpp"
#include "sdk/support/json_fields.hpp"

namespace byoc {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kLargestMetadata = std::int64_t{64} << 20;
constexpr std::uint64_t kOldest = 1, kNewest = 7;

using Archive = std::unique_ptr<archive, decltype(&archive_read_free)>;

class MlfReader {
 public:
  MlfReader(const std::string& path, Diagnostics& diags) : path_(path), diags_(diags) {}

  Result<MlfDocument> run() {
    if (!read_entries()) return failure;
    if (metadata_.empty()) return diags_.error(path_, {}, "has no metadata.json");
    try {
      return read_metadata(Json::parse(metadata_));
    } catch (const Json::exception& error) {
      return diags_.error(path_, "metadata.json", "is not as Model Library Format has it", problem(error));
    }
  }

 private:
  bool read_entries() {
    const auto file = InputFile::open(path_, diags_);
    if (!file) return false;
    // No filters are enabled: a compressed file is then no archive.
    const Archive tar(archive_read_new(), archive_read_free);
    archive_read_support_format_tar(tar.get());
    if (archive_read_open_fd(tar.get(), file->fd(), 1 << 16) != ARCHIVE_OK) return broken(tar.get());
    archive_entry* entry = nullptr;
    int status = ARCHIVE_OK;
    while ((status = archive_read_next_header(tar.get(), &entry)) == ARCHIVE_OK)
      if (!read_entry(tar.get(), entry)) return false;
    return status == ARCHIVE_EOF || broken(tar.get());
  }

  bool broken(archive* tar) {
    const char* why = archive_error_string(tar);
    diags_.error(path_, {}, std::string("is no plain tar archive") + (why ? std::string(": ") + why : ""));
    return false;
  }

  bool read_entry(archive* tar, archive_entry* entry) {
    const char* given = archive_entry_pathname(entry);
    const std::filesystem::path path = std::filesystem::path(given == nullptr ? "" : given).lexically_normal();
    const std::string name = path.string();
    const auto type = archive_entry_filetype(entry);
    if (name.empty() || path.is_absolute() || *path.begin() == "..") {
      diags_.error(path_, name, "an entry leaves the archive");
      return false;
    }
    if (type == AE_IFDIR) return true;
    if (type != AE_IFREG || archive_entry_hardlink(entry) != nullptr) {
      diags_.error(path_, name, "an entry is neither a file nor a folder");
      return false;
    }
    if (!names_.insert(name).second) {
      diags_.error(path_, name, "two entries have this name");
      return false;
    }
    const std::int64_t size = archive_entry_size(entry);
    out_.files.push_back({name, static_cast<std::uint64_t>(size)});
    return name != "metadata.json" || read_text(tar, size);
  }

  bool read_text(archive* tar, std::int64_t size) {
    if (size > kLargestMetadata) {
      diags_.error(path_, "metadata.json", "is too large", std::to_string(size) + " bytes", "at most 64 MiB");
      return false;
    }
    metadata_.resize(static_cast<std::size_t>(size));
    const la_ssize_t n = archive_read_data(tar, metadata_.data(), metadata_.size());
    return n == size || broken(tar);
  }

  Result<MlfDocument> read_metadata(const Json& json) {
    out_.version = json.at("version").get<std::uint64_t>();
    if (out_.version < kOldest || out_.version > kNewest)
      return diags_.error(path_, "metadata.json", "another version of Model Library Format",
                          std::to_string(out_.version), std::to_string(kOldest) + " to " + std::to_string(kNewest));
    if (json.contains("modules"))
      for (const auto& [name, module] : json.at("modules").items()) read_module(name, module);
    else
      read_module(json.at("model_name"), json);
    return std::move(out_);
  }

  void read_module(const std::string& name, const Json& json) {
    MlfModule m;
    m.name = name;
    m.style = json.value("style", "full-model");  // said since version 4
    // Called runtimes up to version 4; a string for each target of a device up to version 5.
    m.executors = json.value(json.contains("executors") ? "executors" : "runtimes", std::vector<std::string>());
    if (json.contains("target"))
      for (const Json& t : json.at("target")) m.targets.push_back(t.get<std::string>());
    m.ours = json.contains("x_byoc");
    out_.time = json.value("export_datetime", "");
    const Json memory = json.value("memory", Json::object());
    // Version 1 lists storage, operators their tensors; neither has functions.
    if (memory.is_object() && memory.contains("functions")) read_main(memory.at("functions").at("main"), m);
    out_.modules.push_back(std::move(m));
  }

  static void read_main(const Json& devices, MlfModule& m) {
    for (const Json& main : devices) {
      m.workspace_bytes += main.value("workspace_size_bytes", std::uint64_t{0});
      m.io_bytes += main.value("io_size_bytes", std::uint64_t{0});
      m.constant_bytes += main.value("constants_size_bytes", std::uint64_t{0});
      const Json inputs = main.value("inputs", Json::object()), outputs = main.value("outputs", Json::object());
      for (const auto& [name, t] : inputs.items()) m.inputs.push_back({name, t.at("dtype"), t.at("size")});
      for (const auto& [name, t] : outputs.items()) m.outputs.push_back({name, t.at("dtype"), t.at("size")});
    }
  }

  const std::string& path_;
  Diagnostics& diags_;
  MlfDocument out_;
  std::set<std::string> names_;
  std::string metadata_;
};

}  // namespace

Result<MlfDocument> read_model_library(const std::string& path, Diagnostics& diags) {
  return MlfReader(path, diags).run();
}

}  // namespace byoc
