// The messages between byoc and a plug-in in one export, as a file (docs/formats.md, "Recorded sessions"). They suffice
// to repeat byoc's part with another build of the plug-in, without the model. Contents of constants are kept up to a
// size that the user chose; larger constants are kept as hashes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "byoc/codegen.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/base/support/identity.hpp"
#include "sdk/codegen/plugin/abi/options.hpp"
#include "sdk/codegen/plugin/isolate/wire.hpp"

namespace byoc::plugin {

inline constexpr const char* kRecordSuffix = ".byocrec";

// A region as the plug-in was given it. Constants whose content is not kept have no data.
struct RecordedRegion {
  codegen::Region region;
  struct Constant {
    Identity identity;
    bool kept = false;
    std::vector<std::byte> bytes;  // where it is kept; region.values[].data does not point here
  };
  std::vector<Constant> constants;  // one for each value that is one, in their order
  // The region as TFLite, where the model has a file of that. The file of the record leaves out contents that are of
  // values of the region, or not kept: they are zeros when it is read.
  std::optional<codegen::TfliteForm> tflite = {};
};

// Something that the plug-in said, and the answer.
struct RecordedSaying {
  Tell kind = Tell::result;
  std::string label;     // for people: "step 'kws_conv'"
  std::string message;   // what was said, but for contents
  Identity content;      // of what was handed over with it; none: of nothing
  std::string answer;    // of those that have one
  bool refused = false;  // byoc told an error about it
  bool operator==(const RecordedSaying&) const = default;
};

// A call of the plug-in.
struct RecordedCall {
  Ask what = Ask::verdicts;
  std::vector<std::uint32_t> regions;  // indexes into Session::regions
  std::vector<codegen::Match> matches;
  Objective objective = Objective::balanced;
  std::string internal_header, prefix;
  std::uint64_t memory_budget = 0;
  std::uint32_t attempt = 0;
  std::vector<RecordedSaying> said;
  bool ok = false;
  std::vector<codegen::Verdict> verdicts;
  std::vector<codegen::Group> groups;
};

struct SessionRecord {
  std::string host;         // "byoc 0.1.0", whose record it is
  std::string id, version;  // of the plug-in
  TargetSpec target;        // but for what is of one machine: the commands and folders of its compilers
  OptionTexts options;      // that the user gave
  std::uint64_t kept = 0;   // contents of larger constants were not kept; bytes
  std::vector<RecordedRegion> regions;
  std::vector<RecordedCall> calls;
};

// A constant of the region of which only the hash is there?
[[nodiscard]] bool withholds(const RecordedRegion& region);

// The region with the contents of constants up to `kept` bytes.
[[nodiscard]] RecordedRegion record_region(const codegen::Region& region, std::uint64_t kept);

[[nodiscard]] std::string write_record(const SessionRecord& record);
// The file of a body.
[[nodiscard]] std::string frame_record(std::string_view body);
// `bytes` may be anything. Another version is refused, because whoever made the record can make it again. Errors: no
// record, another version, a damaged one, one that contradicts itself.
[[nodiscard]] Result<SessionRecord> read_record(std::string_view bytes, const std::string& file, Diagnostics& diags);

}  // namespace byoc::plugin
