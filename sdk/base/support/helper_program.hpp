// The program that workers are (worker.hpp), which is started by the name byoc-worker.
//
// It is the one that the environment variable BYOC_WORKER names; else, for a program that calls helper_main() at its
// start, as byoc, byoc-server and the programs of tests do, that program itself; else, for others, who use libbyoc, the
// byoc in the folder bin/ of where libbyoc is installed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sdk/base/support/worker.hpp"

namespace byoc {

// A worker is asked for one of these.
struct Service {
  const char* name;
  void (*run)(Worker::Channel& channel, std::string_view arguments);
};

// The first call of main(), before any thread starts. The exit code, if this process was started as a worker and has
// done its work, or was started by somebody else by that name; nothing, if it is a program of its own.
[[nodiscard]] std::optional<int> helper_main(int argc, char** argv, std::span<const Service> services);

// True in a worker. A process that a worker starts must stay in its group, to be ended with it.
[[nodiscard]] bool is_worker();

// The rest is for workers and those who start them.

// The first word of its command line, whatever file it is.
inline constexpr const char* kHelperName = "byoc-worker";
// The version that both sides must have.
[[nodiscard]] const char* helper_version();
// The program's path; "" and why there is none.
[[nodiscard]] std::string find_helper_program(std::string& why);

struct SharedPage {
  volatile std::uint32_t out_of_memory;
};

}  // namespace byoc
