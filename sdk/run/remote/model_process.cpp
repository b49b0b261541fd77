#include "sdk/run/remote/model_process.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "sdk/run/calls/model_functions.hpp"
#include "sdk/run/calls/packed_calls.hpp"
#include "sdk/run/remote/confine.hpp"

namespace byoc::remote {
namespace {

// The code below runs in the process of the model.

using calls::Memory;

std::vector<Memory> allocate(const std::vector<BufferNeed>& needs) { return {needs.begin(), needs.end()}; }

std::vector<void*> addresses(const std::vector<Memory>& memories) {
  std::vector<void*> out;
  for (const Memory& m : memories) out.push_back(m.data());
  out.push_back(nullptr);  // a struct without members has one
  return out;
}

class LoadedCalls {
 public:
  std::string load(const std::string& library, ModelCalls calls) {
    calls_ = std::move(calls);
    handle_ = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) return std::string("the library cannot be loaded: ") + ::dlerror();
    inputs_ = allocate(calls_.inputs);
    outputs_ = allocate(calls_.outputs);
    const auto find = [this](const std::string& name) { return ::dlsym(handle_, name.c_str()); };
    if (calls_.graph) return load_graph(find);
    return text(functions_.load(find, calls_.prefix, calls_.instance, calls_.workspaces));
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
        outputs.append(static_cast<const char*>(outputs_[i].data()), calls_.outputs[i].bytes);
    }
    return {};
  }

 private:
  std::string load_graph(const calls::Find& find) {
    workspaces_ = allocate(calls_.workspaces);
    std::vector<void*> buffers;
    for (const auto* list : {&inputs_, &outputs_, &workspaces_})
      for (const Memory& m : *list) buffers.push_back(m.data());
    const PackedGraph& graph = *calls_.graph;
    const auto missing = graph_.load(find, graph.tensors, graph.calls, buffers);
    if (!missing.empty()) return calls::CallError{graph.calls[missing[0]].function}.text();
    return fill_workspaces();
  }

  // Clears the workspaces and writes the contents that a graph gives some of them.
  std::string fill_workspaces() {
    for (std::size_t i = 0; i < workspaces_.size(); ++i)
      std::memset(workspaces_[i].data(), 0, static_cast<std::size_t>(calls_.workspaces[i].bytes));
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

  std::string reset() { return calls_.graph ? fill_workspaces() : text(functions_.reset()); }

  std::string run_once(Ran* ran) {
    const std::vector<void*> in = addresses(inputs_), out = addresses(outputs_);
    timespec begin{}, end{};
    ::clock_gettime(CLOCK_MONOTONIC, &begin);
    const auto error = calls_.graph ? run_graph() : functions_.run(in.data(), out.data());
    ::clock_gettime(CLOCK_MONOTONIC, &end);
    if (error) return error->text();
    if (ran != nullptr)
      ran->nanoseconds.push_back(
          static_cast<std::uint64_t>((end.tv_sec - begin.tv_sec) * 1'000'000'000 + (end.tv_nsec - begin.tv_nsec)));
    return {};
  }

  std::optional<calls::CallError> run_graph() {
    for (std::size_t i = 0; i < graph_.size(); ++i)
      if (auto error = graph_.run(i)) return error;
    return std::nullopt;
  }

  static std::string text(const std::optional<calls::CallError>& error) { return error ? error->text() : ""; }

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
    auto* to = static_cast<char*>(into.data());
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
  std::vector<Memory> inputs_, outputs_;
  calls::ModelFunctions functions_;
  std::vector<Memory> workspaces_;  // of a graph
  calls::PackedCalls graph_;
};

void serve(Worker::Channel& channel, std::string_view arguments) {
  MessageReader given(arguments);
  const std::string folder = given.text();
  const auto request = read_request(given.view());  // with the library's file in the place of its SHA-256
  if (!request || !given.ended()) return;
  (void)confine(folder);  // serve() has said what the kernel does not give
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

namespace {

std::string arguments_of(const std::string& folder, const Load& load) {
  MessageWriter out;
  out.put(folder);
  out.put(write(load));
  return out.take();
}

}  // namespace

ModelProcess::ModelProcess(const std::string& library, const std::string& folder, const ModelCalls& calls,
                           const Limits& limits, std::string& problem)
    : worker_(kModelService.name, arguments_of(folder, Load{library, calls}), {limits.seconds, limits.memory}) {
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
