// Messages between this process and the worker of an isolated plug-in. isolated_codegen.hpp describes the protocol.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "byoc/codegen.hpp"
#include "sdk/base/support/blob.hpp"
#include "sdk/base/support/file_stamp.hpp"
#include "sdk/base/support/message.hpp"

namespace byoc::plugin {

// Requests to the worker; each is answered with Answer::result.
enum class Ask : std::uint32_t { load, create, verdicts, groups, update, compile, destroy };

// Messages from the worker: the result of a request, or before it a call of the host; each is answered in turn.
enum class Tell : std::uint32_t {
  result,
  log,
  progress,
  cancelled,
  claim,
  constant,
  constant_from_value,
  constant_arranged,
  source,
  header,
  private_value,
  step,
  alias,
  stored_privately,
  fused,
  instance,
  artifact,
  diag,
  errors,
  tflite,
  replace,
};

// Constants that a worker has before it is asked anything: those of files that both map, and in a file of their own
// those that are in this process's memory. Small ones are sent each time.
class KnownConstants {
 public:
  // The constants of a region, which must stay as they are as long as this is used, and its source. `file` is written
  // for what no other file has. Errors: it cannot be.
  Result<void> add(const codegen::Region& region, const std::string& file, Diagnostics&);
  // The files that a worker maps, in the order that places refer to.
  [[nodiscard]] const std::vector<FileStamp>& files() const { return files_; }

  struct Place {
    std::uint32_t file = 0;
    std::uint64_t offset = 0;
  };
  // Null if the worker does not have it.
  [[nodiscard]] const Place* find(std::span<const std::byte> bytes) const {
    const auto found = places_.find({bytes.data(), bytes.size()});
    return found == places_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] bool has(const std::shared_ptr<const codegen::ModelSource>& source) const {
    return source != nullptr && source == source_;
  }

 private:
  std::map<std::pair<const std::byte*, std::size_t>, Place> places_;
  std::vector<FileStamp> files_;
  std::shared_ptr<const codegen::ModelSource> source_;
};

void put(MessageWriter& out, const FileStamp& file);

// The worker's side of it.
struct KnownFiles {
  std::vector<std::shared_ptr<const MappedFile>> files;
  std::shared_ptr<const codegen::ModelSource> source;

  // Errors: a file that is gone, or another one than it was.
  static Result<KnownFiles> open(MessageReader& in, Diagnostics&);
};

// Structs as their members, one after the other (fields.hpp); of the structs that are instantiated in wire.cpp.
template <class T>
void put(MessageWriter& out, const T& value);
void put(MessageWriter& out, const codegen::Region& region, const KnownConstants& known);
// dtype, dims and quantisation.
void put_type(MessageWriter& out, const codegen::Value& value);

// Reading a worker's message fails if it breaks a rule of the ABI that is not checked later. Unknown constants of a
// region are views into the message, which must outlive it.
template <class T>
[[nodiscard]] T get(MessageReader& in);
// A region with the constants that are known, which `known` must outlive.
[[nodiscard]] codegen::Region get_region(MessageReader& in, const KnownFiles& known);
[[nodiscard]] codegen::Group get_group(MessageReader& in, std::size_t nodes, std::size_t patterns);
void get_type(MessageReader& in, codegen::Value& value);
void put_form(MessageWriter& out, const codegen::TfliteForm& form);
[[nodiscard]] codegen::TfliteForm get_form(MessageReader& in);

}  // namespace byoc::plugin
