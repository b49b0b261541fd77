// Work in which code of others takes part, in a process of its own: what it says and gives comes back, and a crash is
// an error.
#pragma once

#include <functional>
#include <string>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/base/support/message.hpp"
#include "sdk/base/support/worker.hpp"

namespace byoc {

// Asks a worker for `service`, whose work is done by answer_apart(), and gives what that wrote. `path` and `name` say
// in messages what is run. Errors: those of the work; an abnormal end of its process; more time than `seconds`
// (0: no limit). `given`: as of a Worker.
[[nodiscard]] Result<std::string> run_apart(const std::string& path, const std::string& name, unsigned seconds,
                                            std::string_view service, std::string_view arguments, Diagnostics& diags,
                                            int given = -1);

// The worker's side. `work` writes its answer and reports errors; false: it failed.
void answer_apart(Worker::Channel& channel, const std::function<bool(MessageWriter&, Diagnostics&)>& work);

// Reports a malformed answer.
Failure bad_answer(const std::string& path, Diagnostics& diags);

}  // namespace byoc
