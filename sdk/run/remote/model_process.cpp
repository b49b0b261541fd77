#include "sdk/run/remote/model_process.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "sdk/run/remote/graph_calls.hpp"

namespace byoc::remote {
namespace {

// The code below runs in the process of the model.

struct Freed {
  void operator()(void* p) const { std::free(p); }
};
using Memory = std::unique_ptr<void, Freed>;

Memory allocate(const BufferNeed& need) {
  const std::size_t align = std::max<std::size_t>(need.align, 64);
  const std::size_t bytes = (std::max<std::size_t>(need.bytes, 1) + align - 1) / align * align;
  void* p = std::aligned_alloc(align, bytes);
  if (p == nullptr) throw std::bad_alloc();
  std::memset(p, 0, bytes);
  return Memory(p);
}

std::vector<Memory> allocate(const std::vector<BufferNeed>& needs) {
  std::vector<Memory> out;
  for (const BufferNeed& n : needs) out.push_back(allocate(n));
  return out;
}

std::vector<void*> addresses(const std::vector<Memory>& memories) {
  std::vector<void*> out;
  for (const Memory& m : memories) out.push_back(m.get());
  out.push_back(nullptr);  // a struct without members has one
  return out;
}

// <prefix>_run takes pointers only, and so many: a function of any number of them is called as one of that number.
std::int32_t call(void* function, const std::vector<void*>& a) {
  using P = void*;
  switch (a.size()) {
    case 1: return reinterpret_cast<std::int32_t (*)(P)>(function)(a[0]);
    case 3: return reinterpret_cast<std::int32_t (*)(P, P, P)>(function)(a[0], a[1], a[2]);
    case 4: return reinterpret_cast<std::int32_t (*)(P, P, P, P)>(function)(a[0], a[1], a[2], a[3]);
    case 5: return reinterpret_cast<std::int32_t (*)(P, P, P, P, P)>(function)(a[0], a[1], a[2], a[3], a[4]);
    case 6: return reinterpret_cast<std::int32_t (*)(P, P, P, P, P, P)>(function)(a[0], a[1], a[2], a[3], a[4], a[5]);
    case 7:
      return reinterpret_cast<std::int32_t (*)(P, P, P, P, P, P, P)>(function)(a[0], a[1], a[2], a[3], a[4], a[5],
                                                                               a[6]);
    default:
      return reinterpret_cast<std::int32_t (*)(P, P, P, P, P, P, P, P)>(function)(a[0], a[1], a[2], a[3], a[4], a[5],
                                                                                  a[6], a[7]);
  }
}

class LoadedCalls {
 public:
  std::string load(const std::string& library, ModelCalls calls) {
    calls_ = std::move(calls);
    handle_ = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) return std::string("the library cannot be loaded: ") + ::dlerror();
    inputs_ = allocate(calls_.inputs);
    outputs_ = allocate(calls_.outputs);
    workspaces_ = allocate(calls_.workspaces);
    if (calls_.graph) return load_graph();
    if (calls_.instance.bytes != 0) instance_ = allocate(calls_.instance);
    if (find("_run") == nullptr) return "the library has no function " + calls_.prefix + "_run";
    return instance_ ? keep_state("_init") : std::string();
  }

  std::string run(const RunPaths& paths, Ran& ran, std::string& outputs) {
    const std::size_t each = inputs_.size();
    const std::size_t runs = each == 0 ? 1 : paths.inputs.size() / each;
    if (runs == 0 || runs * each != paths.inputs.size())
      return "wrong number of inputs: " + std::to_string(paths.inputs.size()) + ", " + std::to_string(each) +
             " for each run";
    for (std::size_t r = 0; r < runs; ++r) {
      if (r != 0 && paths.reset)
        if (std::string problem = reset(); !problem.empty()) return problem;
      for (std::size_t i = 0; i < each; ++i) {
        const std::string what = "input " + std::to_string(i);
        std::string problem = read_file(what, paths.inputs[r * each + i], inputs_[i], calls_.inputs[i].bytes);
        if (!problem.empty()) return problem;
      }
      const std::uint32_t repeats = r + 1 == runs ? std::max(paths.repeats, 1U) : 1;
      for (std::uint32_t n = 0; n < repeats; ++n)
        if (std::string problem = run_once(r + 1 == runs ? &ran : nullptr); !problem.empty()) return problem;
      for (std::size_t i = 0; i < outputs_.size(); ++i)
        outputs.append(static_cast<const char*>(outputs_[i].get()), calls_.outputs[i].bytes);
    }
    return {};
  }

 private:
  std::string load_graph() {
    std::vector<void*> buffers;
    for (const auto* list : {&inputs_, &outputs_, &workspaces_})
      for (const Memory& m : *list) buffers.push_back(m.get());
    if (std::string problem = graph_.load(handle_, *calls_.graph, buffers); !problem.empty()) return problem;
    return fill_workspaces();
  }

  // Clears the workspaces and writes the contents that a graph gives some of them.
  std::string fill_workspaces() {
    for (std::size_t i = 0; i < workspaces_.size(); ++i)
      std::memset(workspaces_[i].get(), 0, static_cast<std::size_t>(calls_.workspaces[i].bytes));
    for (const Content& c : calls_.graph->contents) {
      const std::size_t i = c.buffer - inputs_.size() - outputs_.size();
      struct stat status{};
      const bool there = ::stat(c.blob.c_str(), &status) == 0 && status.st_size >= 0;
      const auto bytes = there ? static_cast<std::uint64_t>(status.st_size) : 0;
      if (bytes > calls_.workspaces[i].bytes) return "contents are larger than their workspace";
      if (std::string problem = read_file("a workspace's content", c.blob, workspaces_[i], bytes); !problem.empty())
        return problem;
    }
    return {};
  }

  std::string reset() {
    if (calls_.graph) return fill_workspaces();
    return instance_ ? keep_state("_reset") : std::string();
  }

  void* find(const char* suffix) const { return ::dlsym(handle_, (calls_.prefix + suffix).c_str()); }

  // _init or _reset
  std::string keep_state(const char* suffix) {
    void* function = find(suffix);
    if (function == nullptr) return "the library has no function " + calls_.prefix + suffix;
    const std::int32_t status = call(function, {instance_.get()});
    return status == 0 ? "" : calls_.prefix + suffix + " returned " + std::to_string(status);
  }

  std::string run_once(Ran* ran) {
    std::vector<void*> in = addresses(inputs_), out = addresses(outputs_), arguments;
    if (instance_) arguments.push_back(instance_.get());
    arguments.insert(arguments.end(), {in.data(), out.data()});
    for (const Memory& w : workspaces_) arguments.push_back(w.get());
    timespec begin{}, end{};
    void* const function = calls_.graph ? nullptr : find("_run");
    ::clock_gettime(CLOCK_MONOTONIC, &begin);
    const std::string problem = calls_.graph ? graph_.run() : said(call(function, arguments));
    ::clock_gettime(CLOCK_MONOTONIC, &end);
    if (!problem.empty()) return problem;
    if (ran != nullptr)
      ran->nanoseconds.push_back(
          static_cast<std::uint64_t>((end.tv_sec - begin.tv_sec) * 1'000'000'000 + (end.tv_nsec - begin.tv_nsec)));
    return {};
  }

  [[nodiscard]] std::string said(std::int32_t status) const {
    return status == 0 ? "" : calls_.prefix + "_run returned " + std::to_string(status);
  }

  // Reads a file of exactly `wanted` bytes. Returns an error, or "".
  static std::string read_file(const std::string& what, const std::string& path, const Memory& into,
                               std::uint64_t wanted) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    struct stat status{};
    std::string problem;
    if (fd < 0 || ::fstat(fd, &status) != 0)
      problem = what + " is not there";
    else if (static_cast<std::uint64_t>(status.st_size) != wanted)
      problem = what + " is of the wrong size: " + std::to_string(status.st_size) + " bytes instead of " +
                std::to_string(wanted);
    auto* to = static_cast<char*>(into.get());
    for (std::uint64_t at = 0; problem.empty() && at < wanted;) {
      const ssize_t n = ::read(fd, to + at, wanted - at);
      if (n > 0) at += static_cast<std::uint64_t>(n);
      if (n == 0 || (n < 0 && errno != EINTR)) problem = what + " cannot be read";
    }
    if (fd >= 0) ::close(fd);
    return problem;
  }

  ModelCalls calls_;
  void* handle_ = nullptr;
  Memory instance_;
  std::vector<Memory> inputs_, outputs_, workspaces_;
  GraphCalls graph_;
};

// It has no files to write, and nobody's rights to gain.
void give_up_rights() {
  const rlimit no_files{0, 0};
  ::setrlimit(RLIMIT_FSIZE, &no_files);
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

void serve(Worker::Channel& channel, std::string_view arguments) {
  const auto request = read_request(arguments);  // with the library's file in the place of its SHA-256
  if (!request) return;
  give_up_rights();
  LoadedCalls model;
  if (!channel.send(write(Reply{model.load(request->load.sha256, request->load.calls), {}}))) return;
  while (const auto message = channel.receive()) {
    MessageReader in(*message);
    RunPaths paths;
    paths.inputs = in.texts();
    paths.reset = in.flag();
    paths.repeats = in.get<std::uint32_t>();
    Ran ran;
    std::string outputs;
    const std::string problem = model.run(paths, ran, outputs);
    MessageWriter answer;
    answer.put(write(ran));
    answer.put(outputs);
    if (!channel.send(write(Reply{problem, answer.take()}))) return;
  }
}

}  // namespace

extern const Service kModelService{"model", serve};

ModelProcess::ModelProcess(const std::string& library, const ModelCalls& calls, const Limits& limits,
                           std::string& problem)
    : worker_(kModelService.name, write(Load{library, calls}), {limits.seconds, limits.memory}) {
  const auto reply = worker_.receive();
  const auto read = reply ? read_reply(*reply) : std::nullopt;
  problem = read ? read->problem : "the model " + worker_.end().text();
}

std::string ModelProcess::ask(const std::string& message, std::string& answer) {
  worker_.begin_job();
  std::optional<std::string> reply;
  if (worker_.send(message)) reply = worker_.receive();
  auto read = reply ? read_reply(*reply) : std::nullopt;
  if (!read) return reply ? "the model sent what is no message" : "the model " + worker_.end().text();
  answer = std::move(read->bytes);
  return read->problem;
}

std::string ModelProcess::run(const RunPaths& paths, Ran& ran, std::string& outputs) {
  MessageWriter message;
  message.list(paths.inputs);
  message.put(paths.reset);
  message.put(paths.repeats);
  std::string answer;
  if (std::string problem = ask(message.take(), answer); !problem.empty()) return problem;
  MessageReader in(answer);
  const std::string_view said = in.view();
  outputs = in.text();
  const auto read = read_ran(said);
  if (!in.ended() || !read) return "the model sent what is no message";
  ran = *read;
  ran.output_bytes = outputs.size();
  return {};
}

}  // namespace byoc::remote
