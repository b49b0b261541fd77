// A codegen that hands everything on to another and writes down what was said (session_record.hpp).
#pragma once

#include <functional>
#include <memory>

#include "byoc/codegen.hpp"
#include "sdk/codegen/plugin/record/session_record.hpp"

namespace byoc::plugin {

class RecordingCodegen : public codegen::Codegen {
 public:
  // The call that is running; that which ran last, where none is.
  [[nodiscard]] virtual const RecordedCall& current() const = 0;
};

// Given the record when the codegen is destroyed, after the one that it records is.
using TakeRecord = std::function<void(SessionRecord)>;

// `inner` is of `target` with `options`. Contents of constants up to `kept` bytes go into the record.
[[nodiscard]] std::unique_ptr<RecordingCodegen> record_codegen(std::unique_ptr<codegen::Codegen> inner,
                                                               const TargetSpec& target, const OptionTexts& options,
                                                               std::uint64_t kept, TakeRecord take);

}  // namespace byoc::plugin
