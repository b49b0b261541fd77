#include "sdk/program/executor/aot/steps.hpp"

#include "sdk/program/executor/aot/fields.hpp"
#include "sdk/program/executor/aot/hooks.hpp"

namespace byoc::executor {

std::string StepWriter::text(std::size_t step) const {
  return before_step(request_, step) + writer_.call(request_.program.main.calls[step]) +
         after_step(request_, writer_, step, tapped_.contains(step)) + "  TRACE(" + number(step) + ");\n";
}

}  // namespace byoc::executor
