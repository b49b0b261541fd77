#include "sdk/export/export_cache.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "sdk/base/support/file.hpp"
#include "sdk/base/support/identity.hpp"
#include "sdk/base/support/loaded_code.hpp"
#include "sdk/base/support/message.hpp"
#include "sdk/base/support/process.hpp"
#include "sdk/target/target/target.hpp"

namespace byoc {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;

// They change where and how fast things are made.
const std::set<std::string> kOfNoEffect{
    "--cache", "--cache-limit", "--compiler-launcher", "--depfile", "--force", "--fsync", "--jobs", "--quiet"};
// Their values are names of outputs.
const std::set<std::string> kOutputs{"--output", "--report", "--strip-names", "--weights-blob"};
const std::set<std::string> kNotKept{"--add-file", "--isolate", "--pack-imports", "--record", "--work-dir"};

std::string file_name(const std::string& path) { return fs::path(path).filename().string(); }

std::optional<std::string> hash_of(const std::string& path) {
  Diagnostics unreadable;
  const auto text = read_text(path, unreadable);
  if (!text) return std::nullopt;
  return to_hex(identify(std::as_bytes(std::span(*text))));
}

// The recorded path of a file: below the folder of the model it is relative to that, because the folder may be another
// one next time.
std::string place_of(const std::string& file, const std::string& model) {
  const fs::path folder = fs::absolute(model).parent_path().lexically_normal();
  const fs::path place = fs::absolute(file).lexically_normal().lexically_relative(folder);
  return place.empty() || *place.begin() == ".." ? fs::absolute(file).lexically_normal().string() : place.string();
}

std::string found_at(const std::string& place, const std::string& model) {
  return (fs::absolute(model).parent_path() / place).lexically_normal().string();
}

}  // namespace

Result<ExportCache> ExportCache::open(const ExportQuestion& question, Diagnostics& diags) {
  auto cache = compile::ObjectCache::open(question.folder, diags);
  if (!cache) return failure;
  ExportCache out(std::move(*cache), question.model, question.outputs);
  const bool folder = std::any_of(out.outputs_.begin(), out.outputs_.end(),
                                  [](const std::string& o) { return o.ends_with("/") || fs::is_directory(o); });
  if (!out.cache_.on() || folder || question.toolchain.ends_with(".json")) return out;
  out.key_.emplace();
  if (!out.describe(question)) out.key_.reset();
  return out;
}

// False: not everything that it is made of is known.
bool ExportCache::describe(const ExportQuestion& question) {
  key_->add("a whole export").add(BYOC_VERSION).add(file_name(model_));
  for (const std::string& id : identify_loaded_code()) key_->add(id);
  const char* const time = std::getenv("SOURCE_DATE_EPOCH");
  key_->add(time == nullptr ? "" : time);
  const TargetSpec& target = question.target;
  key_->add(write_target(target));
  const std::string& asked = question.toolchain;
  if ((asked.empty() ? target.default_toolchain : asked) == "gnu") key_->add_file(find_program(target.gnu_command));
  for (const auto& [name, values] : question.options) {
    if (kOfNoEffect.contains(name)) continue;
    if (kNotKept.contains(name)) return false;
    key_->add(name);
    for (const std::string& value : values) {
      if (kOutputs.contains(name))
        key_->add(file_name(value));
      else if (!describe_value(value))
        return false;
    }
  }
  return true;
}

// A file is what is in it, wherever it is; "NAME=FILE", too.
bool ExportCache::describe_value(const std::string& value) {
  const std::size_t equals = value.rfind('=');
  for (const std::string& path : {value, equals == std::string::npos ? "" : value.substr(equals + 1)}) {
    std::error_code ignored;
    if (path.find('/') != std::string::npos && fs::is_directory(path, ignored)) return false;
    if (path.empty() || !fs::is_regular_file(path, ignored)) continue;
    const auto hash = hash_of(path);
    if (!hash) return false;
    key_->add(file_name(path)).add(*hash);
    named_.push_back(fs::absolute(path).lexically_normal().string());
    return true;
  }
  key_->add(value);
  return true;
}

std::optional<KeptExport> ExportCache::find(Diagnostics& diags) const {
  if (!key_) return std::nullopt;
  const auto entry = cache_.find(*key_, diags);
  if (!entry) return std::nullopt;
  MessageReader in({reinterpret_cast<const char*>(entry->data()), entry->size()});
  struct Read {
    std::string place, hash;
  };
  const auto read = in.list([&] {
    Read r;
    r.place = in.text();
    r.hash = in.text();
    return r;
  });
  KeptExport out;
  out.outputs = in.texts();
  if (!in.ended() || out.outputs.size() != outputs_.size()) {
    diags.warning(model_, "--cache", "the entry of the export is not one of it, and is made anew");
    return std::nullopt;
  }
  for (const Read& r : read) {
    out.files_read.push_back(found_at(r.place, model_));
    if (hash_of(out.files_read.back()) != r.hash) return std::nullopt;
  }
  return out;
}

void ExportCache::store(const std::vector<std::string>& files_read) const {
  if (!key_) return;
  MessageWriter entry;
  std::vector<std::pair<std::string, std::string>> read;
  for (const std::string& file : std::set<std::string>(files_read.begin(), files_read.end())) {
    const std::string path = fs::absolute(file).lexically_normal().string();
    if (std::find(named_.begin(), named_.end(), path) != named_.end()) continue;
    const auto hash = hash_of(path);
    if (!hash) return;
    read.emplace_back(place_of(path, model_), *hash);
  }
  entry.list(read, [&](const auto& r) {
    entry.put(r.first);
    entry.put(r.second);
  });
  std::uint64_t bytes = 0;
  std::vector<std::string> outputs;
  for (const std::string& file : outputs_) {
    std::error_code failed;
    bytes += fs::is_regular_file(file, failed) ? fs::file_size(file, failed) : kMostBytes;
    if (failed || bytes >= kMostBytes) return;
    Diagnostics unreadable;
    auto text = read_text(file, unreadable);
    if (!text) return;
    outputs.push_back(std::move(*text));
  }
  entry.list(outputs);
  const std::string all = entry.take();
  const auto* first = reinterpret_cast<const std::byte*>(all.data());
  cache_.store(*key_, ObjectBytes(first, first + all.size()));
}

}  // namespace byoc
