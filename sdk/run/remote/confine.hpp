// Code of clients is kept from other processes, the network and writing: by namespaces of the kernel, where it gives
// them to the user who serves, else by its rules (kernel_rules.hpp).
#pragma once

#include <string>

#include "sdk/base/support/helper_program.hpp"

namespace byoc::remote {

struct Confinement {
  bool namespaces = false;
  bool processes = false;  // it signals none but its own, and has no network; in namespaces it sees no others
  bool files = false;      // it writes none, and sees no uploads of others
  [[nodiscard]] bool whole() const { return processes && files; }
};

// Goes on in a process that is confined, with `folder` (of the client's uploads) to read. The process that it was waits
// for that one, and ends as it ends; all of its processes end with it. Called by a process with one thread.
Confinement confine(const std::string& folder);

// The confinement that the kernel gives: tried in a process of its own, of a program with kConfinementService.
[[nodiscard]] Confinement try_confinement();
extern const Service kConfinementService;

// For the log of a server.
[[nodiscard]] std::string describe(const Confinement& given);

}  // namespace byoc::remote
