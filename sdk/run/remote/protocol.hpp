// The messages between byoc and a server that runs models (docs/formats.md, "Remote runs"), with their readers and
// writers. Data from a peer is untrusted.
//
//   server: Hello           who it is, and a number that nobody can know before
//   client: Greeting        proof that it has the token, and a number of its own
//   server: Welcome         proof that it has the token, too; its limits. Or a refusal
// and then, as often as the client likes, a request and its reply. Blobs (the library, inputs) are sent once and are
// identified by their SHA-256 from then on: Offer, then pieces of at most kPiece bytes, until all of them are there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/base/support/message.hpp"
#include "sdk/base/support/sha256.hpp"
#include "sdk/run/calls/packed_calls.hpp"

namespace byoc::remote {

inline constexpr std::uint32_t kProtocolVersion = 1;
inline constexpr std::size_t kPiece = std::size_t{1} << 20;
inline constexpr std::size_t kLongestFrame = kPiece + 1024;
inline constexpr std::size_t kLongestGreeting = 256;  // before the token has been shown

// The machine of the code there, as in an ELF header.
struct Machine {
  std::uint16_t elf_machine = 0;
  bool wide = false;  // 64-bit
  bool big_endian = false;
  bool operator==(const Machine&) const = default;
};
// Nullopt if it is no ELF file.
[[nodiscard]] std::optional<Machine> machine_of(std::span<const std::byte> elf_header);
[[nodiscard]] Machine this_machine();
// "AArch64, 64-bit"
[[nodiscard]] std::string to_string(const Machine&);

struct Hello {
  std::uint32_t version = kProtocolVersion;
  Machine machine;
  std::string nonce;  // of 32 bytes
};
struct Greeting {
  std::uint32_t version = kProtocolVersion;
  std::string nonce;
  std::string proof;
};
// The limits of a server for a client.
struct Limits {
  std::uint64_t upload = std::uint64_t{256} << 20;   // bytes of all blobs
  std::uint64_t memory = std::uint64_t{1024} << 20;  // bytes that the model may take beyond the server's
  std::uint32_t seconds = 60;                        // of one request
};
struct Welcome {
  std::string refusal;  // "": welcome
  std::string proof;
  Limits limits;
};

// 32 bytes that nobody can guess.
[[nodiscard]] std::string make_nonce();
// HMAC of the token over both numbers and the side, so that neither side's proof is the other's.
[[nodiscard]] std::string proof(std::string_view token, std::string_view side, const Hello&,
                                std::string_view client_nonce);

// The answer to a greeting: its refusal is the same for every error in the proof.
[[nodiscard]] Welcome welcome_of(std::string_view greeting, const Hello&, std::string_view token, const Limits&);

using calls::BufferNeed;
using calls::PackedCall;
using calls::PackedTensor;

// The initial content of a workspace, also after a reset; zeros behind it.
struct Content {
  std::uint32_t buffer = 0;
  std::string blob;  // its SHA-256; in the model's process its file
};
// A graph.json with its parameters, as calls one after the other.
struct PackedGraph {
  std::vector<PackedTensor> tensors;  // of buffers: all inputs, outputs and workspaces, one after the other
  std::vector<PackedCall> calls;
  std::vector<Content> contents;
};

// The functions of a model and what they are given: <prefix>_run, and _init, _reset, _deinit where it has an instance;
// or those of a graph.
struct ModelCalls {
  std::string prefix;   // "" of a graph
  BufferNeed instance;  // bytes 0: none
  std::vector<BufferNeed> inputs, outputs, workspaces;
  std::optional<PackedGraph> graph = {};
};
// The first member that is out of bounds; "" if there is none.
[[nodiscard]] std::string problem_of(const ModelCalls&);

enum class Op : std::uint32_t { offer, piece, load, run, fetch, load_graph, last = load_graph };

struct Offer {
  std::string sha256;  // 32 bytes
  std::uint64_t bytes = 0;
};
struct Load {
  std::string sha256;  // of a shared library
  ModelCalls calls;
};
struct RunRequest {
  std::vector<std::string> inputs;  // SHA-256 of each; as many again for a second run of the instance, and so on
  bool reset = false;               // the instance is reset before each run but the first
  std::uint32_t repeats = 1;        // of the last run, for its times
};
struct Ran {
  std::vector<std::uint64_t> nanoseconds;  // of each repeat
  std::uint64_t output_bytes = 0;          // of all outputs of all runs, one after the other
};
struct Fetch {
  std::uint64_t offset = 0;  // in those
  std::uint64_t bytes = 0;   // at most kPiece
};

// Every message has a writer, which gives its bytes, and a reader, which gives nothing where they are none.
[[nodiscard]] std::string write(const Hello&);
[[nodiscard]] std::string write(const Greeting&);
[[nodiscard]] std::string write(const Welcome&);
[[nodiscard]] std::string write(const Offer&);
[[nodiscard]] std::string write_piece(std::string_view bytes);
[[nodiscard]] std::string write(const Load&);
[[nodiscard]] std::string write(const RunRequest&);
[[nodiscard]] std::string write(const Fetch&);
[[nodiscard]] std::string write(const Ran&);
[[nodiscard]] std::optional<Hello> read_hello(std::string_view);
[[nodiscard]] std::optional<Greeting> read_greeting(std::string_view);
[[nodiscard]] std::optional<Welcome> read_welcome(std::string_view);
[[nodiscard]] std::optional<Ran> read_ran(std::string_view);

// A client's request: only the member for its op is set.
struct Request {
  Op op = Op::offer;
  Offer offer = {};
  std::string piece = {};
  Load load = {};
  RunRequest run = {};
  Fetch fetch = {};
};
[[nodiscard]] std::optional<Request> read_request(std::string_view);

// The answer to a request: bytes, or why not.
struct Reply {
  std::string problem;  // "": it was done
  std::string bytes;
};
[[nodiscard]] std::string write(const Reply&);
[[nodiscard]] std::optional<Reply> read_reply(std::string_view);

}  // namespace byoc::remote
