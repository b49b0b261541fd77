// Rules of the kernel for code of clients, where it gives the user who serves no namespaces: Landlock for files and
// signals, seccomp for calls (https://docs.kernel.org/userspace-api/landlock.html, .../seccomp_filter.html).
#pragma once

#include <string>

namespace byoc::remote {

struct KernelRules {
  bool calls = false;  // no process is started, signalled or looked into, and there is no network
  bool files = false;  // none is written or changed, and none beside `folder` is read
};

// Puts this process, which has one thread, under them for good: what the kernel has of them.
KernelRules follow_kernel_rules(const std::string& folder);

}  // namespace byoc::remote
