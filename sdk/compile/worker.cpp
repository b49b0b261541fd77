#include "sdk/compile/worker.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

#include "sdk/support/file.hpp"

namespace byoc::compile {
namespace {

// What the worker says at its end: "ok" or "no", the diagnostics, the object; every text after its length.
void put(std::string& out, std::string_view text) {
  const std::uint64_t n = text.size();
  out.append(reinterpret_cast<const char*>(&n), sizeof n);
  out += text;
}

std::optional<std::string> take(std::string_view& in) {
  std::uint64_t n = 0;
  if (in.size() < sizeof n) return std::nullopt;
  std::memcpy(&n, in.data(), sizeof n);
  in.remove_prefix(sizeof n);
  if (in.size() < n) return std::nullopt;
  std::string text(in.substr(0, n));
  in.remove_prefix(n);
  return text;
}

std::string encode(const Result<ObjectBytes>& object, const Diagnostics& diags) {
  std::string out;
  put(out, object ? "ok" : "no");
  put(out, std::to_string(diags.all().size()));
  for (const Diagnostic& d : diags.all()) {
    put(out, std::to_string(static_cast<int>(d.level)));
    for (const std::string* field : {&d.file, &d.node, &d.message, &d.found, &d.expected}) put(out, *field);
  }
  if (object) put(out, {reinterpret_cast<const char*>(object->data()), object->size()});
  return out;
}

// Nothing when the text ends too early.
std::optional<Result<ObjectBytes>> decode(std::string_view in, Diagnostics& diags) {
  const auto status = take(in), count = take(in);
  if (!status || !count) return std::nullopt;
  for (std::size_t i = std::stoul(*count); i > 0; --i) {
    Diagnostic d;
    const auto level = take(in);
    if (!level) return std::nullopt;
    d.level = static_cast<Level>(std::stoi(*level));
    for (std::string* field : {&d.file, &d.node, &d.message, &d.found, &d.expected}) {
      auto text = take(in);
      if (!text) return std::nullopt;
      *field = std::move(*text);
    }
    diags.add(std::move(d));
  }
  if (*status != "ok") return Result<ObjectBytes>(failure);
  const auto object = take(in);
  if (!object) return std::nullopt;
  const auto* bytes = reinterpret_cast<const std::byte*>(object->data());
  return Result<ObjectBytes>(ObjectBytes(bytes, bytes + object->size()));
}

struct Channel {
  std::array<int, 2> fd{-1, -1};
  std::string text;
  bool open() { return ::pipe2(fd.data(), O_CLOEXEC) == 0; }
  void close_end(std::size_t i) {
    if (fd[i] >= 0) ::close(fd[i]);
    fd[i] = -1;
  }
  ~Channel() {
    close_end(0);
    close_end(1);
  }
};

void drain(Channel& a, Channel& b) {
  std::array<char, 65536> buffer;
  while (a.fd[0] >= 0 || b.fd[0] >= 0) {
    std::array<pollfd, 2> polls{pollfd{a.fd[0], POLLIN, 0}, pollfd{b.fd[0], POLLIN, 0}};
    if (::poll(polls.data(), polls.size(), -1) < 0 && errno != EINTR) return;
    for (std::size_t i = 0; i < 2; ++i) {
      if ((polls[i].revents & (POLLIN | POLLHUP | POLLERR)) == 0) continue;
      Channel& c = i == 0 ? a : b;
      const ssize_t n = ::read(c.fd[0], buffer.data(), buffer.size());
      if (n > 0)
        c.text.append(buffer.data(), static_cast<std::size_t>(n));
      else if (n == 0 || errno != EINTR)
        c.close_end(0);
    }
  }
}

}  // namespace

Result<ObjectBytes> run_in_worker(const std::string& what, const Job& job, Diagnostics& diags) {
  Channel answer, errors;
  if (!answer.open() || !errors.open())
    return diags.error(what, {}, std::string("a compile worker cannot be started: ") + std::strerror(errno));
  const pid_t pid = ::fork();
  if (pid < 0) return diags.error(what, {}, std::string("a compile worker cannot be started: ") + std::strerror(errno));
  if (pid == 0) {
    ::dup2(errors.fd[1], STDERR_FILENO);
    Diagnostics own;
    const std::string text = encode(job(own), own);
    const bool ok = write_all(answer.fd[1], std::as_bytes(std::span(text)));
    ::_exit(ok ? 0 : 1);
  }
  answer.close_end(1);
  errors.close_end(1);
  drain(answer, errors);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    if (auto result = decode(answer.text, diags)) return std::move(*result);
  std::string last = errors.text.substr(0, 300);
  while (!last.empty() && last.back() == '\n') last.pop_back();
  return diags.error(what, {}, "the compiler died on it" + (last.empty() ? "" : ": " + last),
                     WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                                         : "exit code " + std::to_string(WEXITSTATUS(status)),
                     "an object");
}

}  // namespace byoc::compile
