// byoc's part of a recorded session (session_record.hpp), said to a codegen.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "byoc/codegen.hpp"
#include "sdk/codegen/plugin/record/session_record.hpp"

namespace byoc::plugin {

// The result of a call of the new codegen, compared with the recorded one.
struct ReplayedCall {
  std::string name;                      // "compile() of 2 regions"
  bool ok = false;                       // the codegen did not fail, and byoc refused nothing
  bool was_ok = false;                   // nor did it then
  std::vector<std::string> differences;  // what is said otherwise, and what is not said
};

// "compile() of 2 regions"
[[nodiscard]] std::string call_name(const RecordedCall& call, const SessionRecord& record);

// The constants of regions whose contents a record does not have are zeros here. Error: more of them than this machine
// would have memory for.
class ReplayedRegions {
 public:
  [[nodiscard]] static Result<ReplayedRegions> create(const SessionRecord& record, const std::string& file,
                                                      Diagnostics& diags);
  [[nodiscard]] const codegen::Region& at(std::uint32_t index) const { return regions_[index]; }

 private:
  std::vector<codegen::Region> regions_;
  std::shared_ptr<const std::vector<std::byte>> zeros_;
};

// Calls `codegen` as recorded, up to its first failure that is not in the record. Its messages go to `diags`.
[[nodiscard]] std::vector<ReplayedCall> replay(const SessionRecord& record, const ReplayedRegions& regions,
                                               std::unique_ptr<codegen::Codegen> codegen, const std::string& file,
                                               Diagnostics& diags);

}  // namespace byoc::plugin
