// Runs on another machine: the side that has the model.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "byoc/remote.hpp"
#include "sdk/run/remote/frames.hpp"
#include "sdk/run/remote/protocol.hpp"

namespace byoc::remote {

class Client {
 public:
  // Errors: nobody answers, whoever does is no such server or does not know the token, a token that it does not take.
  [[nodiscard]] static Result<Client> connect(const RemoteServer&, Diagnostics&);

  // As connect(), over an open connection; `address` is for errors.
  [[nodiscard]] static Result<Client> over(std::unique_ptr<Stream> stream, std::string address,
                                           const std::string& token, Diagnostics&);

  [[nodiscard]] const Machine& machine() const { return machine_; }
  [[nodiscard]] const Limits& limits() const { return limits_; }

  // Uploads a shared library, unless it is there, and loads it; the one before is gone. `contents` are those of a
  // graph, in its order, whose hashes are not known yet.
  Result<void> load(std::span<const std::byte> library, ModelCalls calls, Diagnostics&,
                    std::span<const std::span<const std::byte>> contents = {});
  // `inputs` as for CompiledModel::run().
  Result<RemoteRun> run(std::span<const std::span<const std::byte>> inputs, bool reset, std::uint32_t repeats,
                        Diagnostics&);

 private:
  Client(std::string address, std::unique_ptr<Stream> stream)
      : address_(std::move(address)), stream_(std::move(stream)), frames_(std::make_unique<Frames>(*stream_)) {}
  Result<std::string> ask(const std::string& request, std::chrono::milliseconds within, Diagnostics&);
  Result<std::string> upload(std::span<const std::byte> bytes, Diagnostics&);
  Result<void> authenticate(const std::string& token, Diagnostics&);
  Failure broken(Diagnostics&) const;

  std::string address_;
  std::unique_ptr<Stream> stream_;
  std::unique_ptr<Frames> frames_;
  Machine machine_;
  Limits limits_;
  ModelCalls calls_;
};

}  // namespace byoc::remote
