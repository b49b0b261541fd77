#include "sdk/run/remote/protocol.hpp"

#include <elf.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "sdk/base/support/valid_text.hpp"

namespace byoc::remote {
namespace {

constexpr std::string_view kMagic = "byoc-remote";
constexpr std::size_t kNonceBytes = 32;
constexpr std::size_t kMostBuffers = 4096;
constexpr std::uint64_t kLargestBuffer = std::uint64_t{1} << 40;
constexpr std::size_t kLongestPrefix = 512;
constexpr std::size_t kMostTensors = 65536;
constexpr std::uint32_t kLargestAlign = 1 << 20;

void put(MessageWriter& out, const BufferNeed& need) {
  out.put(need.bytes);
  out.put(need.align);
}

void put(MessageWriter& out, const std::vector<BufferNeed>& needs) {
  out.list(needs, [&](const BufferNeed& n) { put(out, n); });
}

BufferNeed read_need(MessageReader& in) {
  BufferNeed out;
  out.bytes = in.get<std::uint64_t>();
  out.align = in.get<std::uint32_t>();
  return out;
}

std::vector<BufferNeed> read_needs(MessageReader& in) {
  return in.list([&] { return read_need(in); });
}

MessageWriter begin(Op op) {
  MessageWriter out;
  out.put(op);
  return out;
}

PackedGraph read_graph(MessageReader& in) {
  PackedGraph out;
  out.tensors = in.list([&] {
    PackedTensor t;
    t.buffer = in.get<std::uint32_t>();
    t.code = in.get<std::uint8_t>();
    t.bits = in.get<std::uint8_t>();
    t.lanes = in.get<std::uint16_t>();
    t.shape = in.numbers<std::int64_t>();
    return t;
  });
  out.calls = in.list([&] {
    PackedCall c;
    c.function = in.text();
    c.tensors = in.numbers<std::uint32_t>();
    return c;
  });
  out.contents = in.list([&] {
    Content c;
    c.buffer = in.get<std::uint32_t>();
    c.blob = in.text();
    return c;
  });
  return out;
}

void put(MessageWriter& out, const PackedGraph& graph) {
  out.list(graph.tensors, [&](const PackedTensor& t) {
    out.put(t.buffer);
    out.put(t.code);
    out.put(t.bits);
    out.put(t.lanes);
    out.list(t.shape);
  });
  out.list(graph.calls, [&](const PackedCall& c) {
    out.put(c.function);
    out.list(c.tensors);
  });
  out.list(graph.contents, [&](const Content& c) {
    out.put(c.buffer);
    out.put(c.blob);
  });
}

Load read_load(MessageReader& in) {
  Load out;
  out.sha256 = in.text();
  out.calls.prefix = in.text();
  out.calls.instance = read_need(in);
  out.calls.inputs = read_needs(in);
  out.calls.outputs = read_needs(in);
  out.calls.workspaces = read_needs(in);
  return out;
}

RunRequest read_run(MessageReader& in) {
  RunRequest out;
  out.inputs = in.texts();
  out.reset = in.flag();
  out.repeats = in.get<std::uint32_t>();
  return out;
}

std::string problem_of(std::string_view what, const std::vector<BufferNeed>& needs) {
  if (needs.size() > kMostBuffers) return "too many " + std::string(what);
  for (const BufferNeed& n : needs)
    if (n.bytes > kLargestBuffer || n.align == 0 || n.align > kLargestAlign || (n.align & (n.align - 1)) != 0)
      return "no size or alignment of " + std::string(what);
  return {};
}

std::string problem_of(const PackedGraph& graph, const ModelCalls& calls) {
  std::vector<std::uint64_t> bytes;
  for (const auto* list : {&calls.inputs, &calls.outputs, &calls.workspaces})
    for (const BufferNeed& n : *list) bytes.push_back(n.bytes);
  if (graph.tensors.size() > kMostTensors || graph.calls.size() > kMostTensors) return "too many tensors or calls";
  for (const PackedTensor& t : graph.tensors) {
    const auto own = bytes_of(t);
    if (t.buffer >= bytes.size() || !own || *own > bytes[t.buffer]) return "a tensor outside of its buffer";
  }
  for (const PackedCall& c : graph.calls) {
    if (!c.function.empty() && (!is_identifier(c.function) || c.function.size() > kLongestPrefix))
      return "no name of a function";
    for (const std::uint32_t t : c.tensors)
      if (t >= graph.tensors.size()) return "a call with a tensor that there is not";
    const auto size = [&](std::size_t i) { return bytes_of(graph.tensors[c.tensors[i]]); };
    if (c.function.empty() && (c.tensors.size() != 2 || size(0) != size(1))) return "a copy that is none";
  }
  const std::size_t workspaces = calls.inputs.size() + calls.outputs.size();
  for (const Content& c : graph.contents)
    if (c.buffer < workspaces || c.buffer >= bytes.size()) return "contents of no workspace";
  return {};
}

}  // namespace

std::optional<Machine> machine_of(std::span<const std::byte> header) {
  Elf32_Ehdr elf{};  // the same as the wide one up to there
  if (header.size() < offsetof(Elf32_Ehdr, e_version) || std::memcmp(header.data(), ELFMAG, SELFMAG) != 0)
    return std::nullopt;
  std::memcpy(&elf, header.data(), offsetof(Elf32_Ehdr, e_version));
  const bool big = elf.e_ident[EI_DATA] == ELFDATA2MSB;
  const auto machine = big ? __builtin_bswap16(elf.e_machine) : elf.e_machine;
  return Machine{static_cast<std::uint16_t>(machine), elf.e_ident[EI_CLASS] == ELFCLASS64, big};
}

Machine this_machine() {
#if defined(__x86_64__)
  constexpr std::uint16_t kOwn = EM_X86_64;
#elif defined(__aarch64__)
  constexpr std::uint16_t kOwn = EM_AARCH64;
#elif defined(__riscv)
  constexpr std::uint16_t kOwn = EM_RISCV;
#elif defined(__arm__)
  constexpr std::uint16_t kOwn = EM_ARM;
#elif defined(__i386__)
  constexpr std::uint16_t kOwn = EM_386;
#else
  constexpr std::uint16_t kOwn = EM_NONE;
#endif
  return {kOwn, sizeof(void*) == 8, std::endian::native == std::endian::big};
}

std::string to_string(const Machine& m) {
  struct Row {
    std::uint16_t number;
    std::string_view name;
  };
  constexpr std::array<Row, 5> kRows{
      {{EM_386, "x86"}, {EM_X86_64, "x86-64"}, {EM_ARM, "Arm"}, {EM_AARCH64, "AArch64"}, {EM_RISCV, "RISC-V"}}};
  std::string name = "machine " + std::to_string(m.elf_machine);
  for (const Row& row : kRows)
    if (row.number == m.elf_machine) name = row.name;
  return name + (m.wide ? ", 64-bit" : ", 32-bit") + (m.big_endian ? ", big endian" : "");
}

std::string make_nonce() {
  std::string out(kNonceBytes, '\0');
  std::size_t got = 0;
  while (got < out.size()) {
    const ssize_t n = ::getrandom(out.data() + got, out.size() - got, 0);
    if (n > 0) got += static_cast<std::size_t>(n);
  }
  return out;
}

std::string proof(std::string_view token, std::string_view side, const Hello& hello, std::string_view client_nonce) {
  MessageWriter said;
  said.put(kMagic);
  said.put(side);
  said.put(std::string_view(hello.nonce));
  said.put(client_nonce);
  return std::string(text_of(hmac_sha256(token, said.bytes())));
}

Welcome welcome_of(std::string_view greeting, const Hello& hello, std::string_view token, const Limits& limits) {
  const auto read = read_greeting(greeting);
  Welcome out{{}, {}, limits};
  if (!read)
    out.refusal = "that is no greeting";
  else if (read->version != kProtocolVersion)
    out.refusal =
        "speaks version " + std::to_string(kProtocolVersion) + " of the protocol, not " + std::to_string(read->version);
  else if (!same_digest(read->proof, proof(token, "client", hello, read->nonce)))
    out.refusal = "the token is wrong";
  else
    out.proof = proof(token, "server", hello, read->nonce);
  return out;
}

std::string problem_of(const ModelCalls& calls) {
  if (calls.graph && (!calls.prefix.empty() || calls.instance.bytes != 0)) return "a graph with functions of a model";
  if (!calls.graph && (!is_identifier(calls.prefix) || calls.prefix.size() > kLongestPrefix))
    return "no prefix of functions";
  if (!calls.graph && (calls.workspaces.empty() || calls.workspaces.size() > calls::ModelFunctions::kMostWorkspaces))
    return "no number of workspaces";
  for (const std::string& problem :
       {problem_of("inputs", calls.inputs), problem_of("outputs", calls.outputs),
        problem_of("workspaces", calls.workspaces), problem_of("instances", std::vector{calls.instance})})
    if (!problem.empty()) return problem;
  return calls.graph ? problem_of(*calls.graph, calls) : std::string();
}

std::string write(const Hello& hello) {
  MessageWriter out;
  out.put(kMagic);
  out.put(hello.version);
  out.put(hello.machine.elf_machine);
  out.put(hello.machine.wide);
  out.put(hello.machine.big_endian);
  out.put(hello.nonce);
  return out.take();
}

std::optional<Hello> read_hello(std::string_view bytes) {
  MessageReader in(bytes);
  Hello out;
  if (in.view() != kMagic) return std::nullopt;
  out.version = in.get<std::uint32_t>();
  out.machine.elf_machine = in.get<std::uint16_t>();
  out.machine.wide = in.flag();
  out.machine.big_endian = in.flag();
  out.nonce = in.text();
  // A later version may say more.
  return in.ok() && out.nonce.size() == kNonceBytes ? std::optional(out) : std::nullopt;
}

std::string write(const Greeting& greeting) {
  MessageWriter out;
  out.put(kMagic);
  out.put(greeting.version);
  out.put(greeting.nonce);
  out.put(greeting.proof);
  return out.take();
}

std::optional<Greeting> read_greeting(std::string_view bytes) {
  MessageReader in(bytes);
  Greeting out;
  if (in.view() != kMagic) return std::nullopt;
  out.version = in.get<std::uint32_t>();
  out.nonce = in.text();
  out.proof = in.text();
  return in.ok() && out.nonce.size() == kNonceBytes ? std::optional(out) : std::nullopt;
}

std::string write(const Welcome& welcome) {
  MessageWriter out;
  out.put(welcome.refusal);
  out.put(welcome.proof);
  out.put(welcome.limits.upload);
  out.put(welcome.limits.memory);
  out.put(welcome.limits.seconds);
  return out.take();
}

std::optional<Welcome> read_welcome(std::string_view bytes) {
  MessageReader in(bytes);
  Welcome out;
  out.refusal = in.text();
  out.proof = in.text();
  out.limits.upload = in.get<std::uint64_t>();
  out.limits.memory = in.get<std::uint64_t>();
  out.limits.seconds = in.get<std::uint32_t>();
  return in.ok() ? std::optional(out) : std::nullopt;
}

std::string write(const Offer& offer) {
  MessageWriter out = begin(Op::offer);
  out.put(offer.sha256);
  out.put(offer.bytes);
  return out.take();
}

std::string write_piece(std::string_view bytes) {
  MessageWriter out = begin(Op::piece);
  out.put(bytes);
  return out.take();
}

std::string write(const Load& load) {
  MessageWriter out = begin(load.calls.graph ? Op::load_graph : Op::load);
  out.put(load.sha256);
  out.put(load.calls.prefix);
  put(out, load.calls.instance);
  put(out, load.calls.inputs);
  put(out, load.calls.outputs);
  put(out, load.calls.workspaces);
  if (load.calls.graph) put(out, *load.calls.graph);
  return out.take();
}

std::string write(const RunRequest& run) {
  MessageWriter out = begin(Op::run);
  out.list(run.inputs);
  out.put(run.reset);
  out.put(run.repeats);
  return out.take();
}

std::string write(const Fetch& fetch) {
  MessageWriter out = begin(Op::fetch);
  out.put(fetch.offset);
  out.put(fetch.bytes);
  return out.take();
}

std::string write(const Ran& ran) {
  MessageWriter out;
  out.list(ran.nanoseconds);
  out.put(ran.output_bytes);
  return out.take();
}

std::optional<Ran> read_ran(std::string_view bytes) {
  MessageReader in(bytes);
  Ran out;
  out.nanoseconds = in.numbers<std::uint64_t>();
  out.output_bytes = in.get<std::uint64_t>();
  return in.ended() ? std::optional(out) : std::nullopt;
}

std::optional<Request> read_request(std::string_view bytes) {
  MessageReader in(bytes);
  Request out;
  out.op = in.choice(Op::last);
  switch (out.op) {
    case Op::offer:
      out.offer.sha256 = in.text();
      out.offer.bytes = in.get<std::uint64_t>();
      break;
    case Op::piece: out.piece = in.text(); break;
    case Op::load: out.load = read_load(in); break;
    case Op::load_graph:
      out.load = read_load(in);
      out.load.calls.graph = read_graph(in);
      break;
    case Op::run: out.run = read_run(in); break;
    case Op::fetch:
      out.fetch.offset = in.get<std::uint64_t>();
      out.fetch.bytes = in.get<std::uint64_t>();
      break;
  }
  return in.ended() ? std::optional(std::move(out)) : std::nullopt;
}

std::string write(const Reply& reply) {
  MessageWriter out;
  out.put(reply.problem);
  out.put(reply.bytes);
  return out.take();
}

std::optional<Reply> read_reply(std::string_view bytes) {
  MessageReader in(bytes);
  Reply out;
  out.problem = in.text();
  out.bytes = in.text();
  return in.ended() ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace byoc::remote
