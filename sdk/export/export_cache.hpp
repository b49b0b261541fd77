// Whole exports in the folder of --cache, beside the objects of their modules.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "byoc/target.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/library/compile/object_cache.hpp"

namespace byoc {

// An option that a user gave, by its long name ("--target"), with its values as they were given.
struct GivenOption {
  std::string name;
  std::vector<std::string> values;
};

struct ExportQuestion {
  std::string model;  // file
  TargetSpec target;
  std::string toolchain;  // "": the target's
  std::string folder;     // the cache; "": none
  std::vector<GivenOption> options;
  std::vector<std::string> outputs;  // every file that the export writes, but for the depfile
};

// The outputs of an export, as they are kept.
struct KeptExport {
  std::vector<std::string> outputs;     // contents, in the order of the names that the command writes
  std::vector<std::string> files_read;  // beside those that the command line names
};

// The entry of one export. Its key depends on contents only: of the model and the files that the command line names, of
// the options, of byoc and the loaded plug-ins. Other files that were read (external data of the model, headers of the
// machine) are in the entry with their hashes; if one of them has changed, there is no entry. Not kept: folders,
// outputs of more than 256 MiB, an export with diagnostics, and options that start programs or have byoc read files
// that it does not see (--isolate, --add-file, --pack-imports, --record, --work-dir, a described --toolchain).
class ExportCache {
 public:
  // Errors: a folder that cannot be made.
  static Result<ExportCache> open(const ExportQuestion& question, Diagnostics&);

  // Warning: an entry that is damaged, or is not of these outputs.
  [[nodiscard]] std::optional<KeptExport> find(Diagnostics&) const;
  // Called after the outputs were written. Files that cannot be read or written are not kept.
  void store(const std::vector<std::string>& files_read) const;

 private:
  ExportCache(compile::ObjectCache cache, std::string model, std::vector<std::string> outputs)
      : cache_(std::move(cache)), model_(std::move(model)), outputs_(std::move(outputs)) {}
  bool describe(const ExportQuestion& question);
  bool describe_value(const std::string& value);

  compile::ObjectCache cache_;
  std::string model_;
  std::vector<std::string> outputs_;
  std::vector<std::string> named_;  // files whose contents are in the key
  std::optional<compile::CacheKey> key_;
};

}  // namespace byoc
