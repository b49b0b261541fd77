// Running exported libraries on another machine, where `byoc serve` (or byoc-server) waits for them. Standard headers
// only. docs/formats.md says what goes over the wire, docs/threat-model.md who is trusted with what.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "byoc/diagnostics.hpp"
#include "byoc/interface.hpp"
#include "byoc/result.hpp"
#include "byoc/visibility.hpp"

namespace byoc {

struct RemoteServer {
  std::string address;      // "HOST:PORT"
  std::string token;        // that the server was started with
  std::string authorities;  // file of certificates (PEM) that the server's must descend from; "": no TLS
};

struct RemoteRun {
  std::vector<std::vector<std::byte>> outputs;  // of all runs, one after the other
  std::vector<std::uint64_t> nanoseconds;       // of each repeat of the last run
};

// A connection. Not for two threads at a time.
class BYOC_API RemoteSession {
 public:
  struct Impl;

  // Errors: nobody answers, whoever does is no server or does not know the token, a token that the server refuses.
  [[nodiscard]] static Result<RemoteSession> connect(const RemoteServer& server, Diagnostics& diags);

  // The name of the machine for find_target(); "" if it has none.
  [[nodiscard]] std::string target() const;
  [[nodiscard]] std::string machine() const;  // "AArch64, 64-bit"

  // Uploads a shared library that byoc exported, unless the server has it, and loads it in place of the one before.
  // Errors: what byoc did not write, another executor than aot and graph, another machine (both are named), more than
  // the server takes, whatever its dynamic linker says.
  Result<void> load(const std::string& library, Diagnostics& diags);
  // Loads a graph from three files, as GraphExecutor::open() takes them, from any producer. The inputs are the nodes
  // without a function that `params` ("": none) does not name. Additional errors: a graph.json that is wrong,
  // parameters that it does not have, a missing function.
  Result<void> load_graph(const std::string& graph, const std::string& library, const std::string& params,
                          Diagnostics& diags);
  // The interface of the loaded library.
  [[nodiscard]] const ModelInterface& interface() const;
  // `inputs` as for CompiledModel::run(). The last run is repeated so often, for its times. Errors: inputs of the wrong
  // number or size; a model that crashes, fails, takes too long or too much memory there.
  [[nodiscard]] Result<RemoteRun> run(std::span<const std::vector<std::byte>> inputs, bool reset, std::uint32_t repeats,
                                      Diagnostics& diags);

  explicit RemoteSession(std::shared_ptr<Impl> impl);

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace byoc
