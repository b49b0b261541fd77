// A server of models, in a process of its own.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

#include "sdk/base/support/file.hpp"
#include "sdk/run/remote/server.hpp"

namespace byoc::test {

inline constexpr const char* kToken = "a token for tests";

class ServerProcess {
 public:
  ServerProcess() = default;
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;
  ~ServerProcess() { stop(); }

  // Listens on this machine; private folders are below `folder`, which is there.
  void start(const std::string& folder, remote::ServeOptions options = {}) {
    std::array<int, 2> log{};
    ASSERT_EQ(::pipe(log.data()), 0);
    options.listen = {"127.0.0.1", "0"};
    options.session.token = kToken;
    options.session.limits.seconds = std::min(options.session.limits.seconds, 20U);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::setenv("TMPDIR", folder.c_str(), 1);
      take_leftovers_on_signals();
      options.log = [&](const std::string& line) { (void)!::write(log[1], (line + "\n").data(), line.size() + 1); };
      Diagnostics diags;
      (void)remote::serve(options, diags);
      for (const Diagnostic& d : diags.all()) options.log(to_string(d));
      ::_exit(1);
    }
    ::close(log[1]);
    std::string line;
    for (char c = 0; ::read(log[0], &c, 1) == 1 && c != '\n';) line += c;
    ASSERT_TRUE(line.starts_with("listening on ")) << line;
    address_ = line.substr(13);
  }
  void stop() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGTERM);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] const std::string& address() const { return address_; }

 private:
  pid_t pid_ = -1;
  std::string address_;
};

}  // namespace byoc::test
