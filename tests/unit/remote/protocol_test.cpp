// What goes over the wire: frames, messages of peers that lie.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>

#include "sdk/run/remote/frames.hpp"
#include "sdk/run/remote/protocol.hpp"

namespace byoc::remote {
namespace {

using namespace std::chrono_literals;

// One end of a pair of sockets as a stream.
class SocketStream : public Stream {
 public:
  explicit SocketStream(int fd) : fd_(fd) {}
  ~SocketStream() override { ::close(fd_); }
  bool send(std::span<const std::byte> bytes, std::chrono::milliseconds) override {
    return ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
  }
  bool receive(std::span<std::byte> bytes, std::chrono::milliseconds) override {
    return bytes.empty() || ::recv(fd_, bytes.data(), bytes.size(), MSG_WAITALL) == static_cast<ssize_t>(bytes.size());
  }
  [[nodiscard]] std::string problem() const override { return "the connection was closed"; }

 private:
  int fd_;
};

class FramesOfPeers : public testing::Test {
 protected:
  FramesOfPeers() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()), 0); }
  ~FramesOfPeers() override { hang_up(); }
  void say(std::string_view bytes) {
    EXPECT_EQ(::write(ends_[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  void hang_up() {
    if (ends_[1] >= 0) ::close(std::exchange(ends_[1], -1));
  }
  std::array<int, 2> ends_{-1, -1};
};

TEST_F(FramesOfPeers, arriveAsTheyWereSent) {
  SocketStream here(ends_[0]), there(std::exchange(ends_[1], -1));
  Frames sender(there), receiver(here);
  for (const std::string& message : {std::string(), std::string("x"), std::string(7'000, 'y')}) {
    ASSERT_TRUE(sender.send(message, 1s));
    EXPECT_EQ(receiver.receive(7'000, 1s), message);
  }
}

TEST_F(FramesOfPeers, aLengthIsNoReasonToAllocate) {
  SocketStream here(ends_[0]);
  std::string frame = framed("abc");
  frame.replace(16, 4, "\xff\xff\xff\xff");
  say(frame);
  Frames frames(here);
  EXPECT_FALSE(frames.receive(256, 1s));
  EXPECT_EQ(frames.problem(), "sent a message of 4294967263 bytes, where 256 are the most");
}

TEST_F(FramesOfPeers, aDamagedOneIsNone) {
  SocketStream here(ends_[0]);
  std::string frame = framed("abc");
  frame.back() ^= 1;
  say(frame);
  Frames frames(here);
  EXPECT_FALSE(frames.receive(256, 1s));
  EXPECT_EQ(frames.problem(), "sent a message that is damaged");
}

TEST_F(FramesOfPeers, otherBytesAreNone) {
  SocketStream here(ends_[0]);
  Frames frames(here);
  for (const std::size_t at : {0, 8}) {  // magic, version
    std::string frame = framed("");
    frame[at] ^= 1;
    say(frame);
    EXPECT_FALSE(frames.receive(256, 1s));
    EXPECT_EQ(frames.problem(), "sent what is no message");
  }
}

TEST_F(FramesOfPeers, oneThatIsCutOffIsNone) {
  SocketStream here(ends_[0]);
  say(framed("abc").substr(0, 33));
  hang_up();
  Frames frames(here);
  EXPECT_FALSE(frames.receive(256, 1s));
  EXPECT_EQ(frames.problem(), "the connection was closed");
}

const std::string kNonce(32, 'n');

TEST(Protocol, messagesAreReadAsTheyWereWritten) {
  const auto hello = read_hello(write(Hello{7, {183, true, false}, kNonce}));
  ASSERT_TRUE(hello);
  EXPECT_EQ(hello->version, 7U);
  EXPECT_EQ(to_string(hello->machine), "AArch64, 64-bit");
  EXPECT_EQ(hello->nonce, kNonce);
  const auto greeting = read_greeting(write(Greeting{7, kNonce, "proof"}));
  ASSERT_TRUE(greeting);
  EXPECT_EQ(greeting->proof, "proof");
  const auto welcome = read_welcome(write(Welcome{"no", "proof", {1, 2, 3}}));
  ASSERT_TRUE(welcome);
  EXPECT_EQ(welcome->refusal, "no");
  EXPECT_EQ(welcome->limits.memory, 2U);
  const auto load = read_request(write(Load{"hash", {"m", {8, 4}, {{1, 1}}, {{2, 2}, {3, 1}}, {{4, 8}}}}));
  ASSERT_TRUE(load);
  EXPECT_EQ(load->op, Op::load);
  EXPECT_EQ(load->load.calls.prefix, "m");
  EXPECT_EQ(load->load.calls.outputs[1].bytes, 3U);
  EXPECT_EQ(load->load.calls.workspaces[0].align, 8U);
  const auto run = read_request(write(RunRequest{{"a", "b"}, true, 5}));
  ASSERT_TRUE(run);
  EXPECT_EQ(run->run.inputs, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(run->run.repeats, 5U);
  EXPECT_TRUE(run->run.reset);
}

// Two inputs of four bytes, an output, a workspace: what is added is copied out.
ModelCalls a_graph() {
  ModelCalls out{"", {}, {{4, 1}, {4, 1}}, {{4, 1}}, {{8, 64}}};
  out.graph = PackedGraph{{{0, 2, 32, 1, {1}}, {1, 2, 32, 1, {1}}, {3, 2, 32, 1, {1}}, {2, 2, 32, 1, {}}},
                          {{"add", {0, 1, 2}}, {"", {2, 3}}},
                          {{3, "hash"}}};
  return out;
}

TEST(Protocol, graphsAreReadAsTheyWereWritten) {
  const auto load = read_request(write(Load{"library", a_graph()}));
  ASSERT_TRUE(load);
  EXPECT_EQ(load->op, Op::load_graph);
  EXPECT_EQ(load->load.sha256, "library");
  const ModelCalls& calls = load->load.calls;
  EXPECT_EQ(problem_of(calls), "");
  ASSERT_TRUE(calls.graph);
  ASSERT_EQ(calls.graph->tensors.size(), 4U);
  EXPECT_EQ(calls.graph->tensors[2].buffer, 3U);
  EXPECT_EQ(calls.graph->tensors[2].bits, 32U);
  EXPECT_EQ(calls.graph->tensors[1].shape, (std::vector<std::int64_t>{1}));
  EXPECT_EQ(calls.graph->calls[0].function, "add");
  EXPECT_EQ(calls.graph->calls[1].tensors, (std::vector<std::uint32_t>{2, 3}));
  EXPECT_EQ(calls.graph->contents[0].blob, "hash");
}

TEST(Protocol, graphsThatLeadOutsideAreRefused) {
  const auto problem = [](const auto& change) {
    ModelCalls calls = a_graph();
    change(calls);
    return problem_of(calls);
  };
  EXPECT_EQ(problem([](ModelCalls& c) { c.prefix = "m"; }), "a graph with functions of a model");
  EXPECT_EQ(problem([](ModelCalls& c) { c.instance = {8, 8}; }), "a graph with functions of a model");
  EXPECT_EQ(problem([](ModelCalls& c) { c.graph->tensors[0].buffer = 4; }), "a tensor outside of its buffer");
  EXPECT_EQ(problem([](ModelCalls& c) { c.graph->tensors[0].shape = {2}; }), "a tensor outside of its buffer");
  EXPECT_EQ(problem([](ModelCalls& c) { c.graph->tensors[0].shape = {-1}; }), "a tensor outside of its buffer");
  EXPECT_EQ(problem([](ModelCalls& c) { c.graph->tensors[0].lanes = 0; }), "a tensor outside of its buffer");
  EXPECT_EQ(problem([](ModelCalls& c) { c.graph->tensors[0].shape = {std::int64_t{1} << 62, 8}; }),
            "a tensor outside of its buffer");
  EXPECT_EQ(problem([](ModelCalls& c) { c.graph->tensors[0].shape.assign(65, 1); }), "a tensor outside of its buffer");
  EXPECT_EQ(problem([](ModelCalls& c) { c.graph->calls[0].function = "a b"; }), "no name of a function");
  EXPECT_EQ(problem([](ModelCalls& c) { c.graph->calls[0].tensors[1] = 4; }), "a call with a tensor that there is not");
  EXPECT_EQ(problem([](ModelCalls& c) { c.graph->calls[1].tensors = {2}; }), "a copy that is none");
  EXPECT_EQ(problem([](ModelCalls& c) { c.graph->tensors[2].shape = {2}; }), "a copy that is none");
  EXPECT_EQ(problem([](ModelCalls& c) { c.graph->contents[0].buffer = 2; }), "contents of no workspace");
  EXPECT_EQ(problem([](ModelCalls& c) { c.graph->contents[0].buffer = 4; }), "contents of no workspace");
  EXPECT_EQ(problem([](ModelCalls& c) { c.graph->tensors.resize(65537); }), "too many tensors or calls");
}

// Cut off anywhere, or with a byte more, a message is none.
TEST(Protocol, aMessageIsWholeOrNone) {
  const std::vector<std::string> requests{write(Offer{"hash", 3}),
                                          write_piece("abc"),
                                          write(Load{"hash", {"m", {}, {{1, 1}}, {}, {{4, 8}}}}),
                                          write(RunRequest{{"a"}, false, 1}),
                                          write(Fetch{1, 2}),
                                          write(Load{"hash", a_graph()})};
  for (const std::string& request : requests) {
    ASSERT_TRUE(read_request(request));
    for (std::size_t n = 0; n < request.size(); ++n) EXPECT_FALSE(read_request(request.substr(0, n)));
    EXPECT_FALSE(read_request(request + "x"));
  }
  EXPECT_FALSE(read_hello("GET / HTTP/1.1\r\n"));
  EXPECT_FALSE(read_greeting(write(Greeting{1, "short", "proof"})));
}

// Whole conversations, for fuzzers to begin with: messages, each behind a length of two bytes.
TEST(Protocol, aConversationIsRequestsOneAfterTheOther) {
  const char* folder = std::getenv("BYOC_KEEP_MODELS");
  const std::string blob = "\177ELF\2\1\1", hash(text_of(sha256(std::as_bytes(std::span(blob)))));
  const std::vector<std::string> messages{write(Offer{hash, blob.size()}),
                                          write_piece(blob),
                                          write(Load{hash, {"m", {8, 8}, {{1, 1}}, {{2, 2}, {3, 1}}, {{4, 8}}}}),
                                          write(RunRequest{{hash}, true, 2}),
                                          write(Fetch{0, 5}),
                                          write(Load{hash, a_graph()})};
  const std::vector<Op> ops{Op::offer, Op::piece, Op::load, Op::run, Op::fetch, Op::load_graph};
  std::string all;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const std::string& m = messages[i];
    const auto request = read_request(m);
    ASSERT_TRUE(request) << i;
    EXPECT_EQ(request->op, ops[i]);
    const auto size = static_cast<std::uint16_t>(m.size());
    all.append(reinterpret_cast<const char*>(&size), sizeof size);
    all += m;
    if (folder != nullptr) std::ofstream(folder + std::string("/conversation") + std::to_string(all.size())) << all;
  }
}

TEST(Protocol, buffersThatCannotBeAreRefused) {
  const BufferNeed good{4, 4};
  EXPECT_EQ(problem_of(ModelCalls{"m", {}, {good}, {good}, {good}}), "");
  EXPECT_EQ(problem_of(ModelCalls{"m; rm", {}, {}, {}, {good}}), "no prefix of functions");
  EXPECT_EQ(problem_of(ModelCalls{"m", {}, {}, {}, {}}), "no number of workspaces");
  EXPECT_EQ(problem_of(ModelCalls{"m", {}, {{4, 3}}, {}, {good}}), "no size or alignment of inputs");
  EXPECT_EQ(problem_of(ModelCalls{"m", {}, {}, {{UINT64_MAX, 1}}, {good}}), "no size or alignment of outputs");
  EXPECT_EQ(problem_of(ModelCalls{"m", {8, 0}, {}, {}, {good}}), "no size or alignment of instances");
}

TEST(Protocol, proofsAreOfOneSideAndOneConnection) {
  const Hello hello{1, {}, kNonce}, other{1, {}, std::string(32, 'o')};
  const std::string client = proof("token", "client", hello, kNonce);
  EXPECT_NE(client, proof("token", "server", hello, kNonce));
  EXPECT_NE(client, proof("token", "client", other, kNonce));
  EXPECT_NE(client, proof("other", "client", hello, kNonce));
  EXPECT_TRUE(same_digest(client, proof("token", "client", hello, kNonce)));
  EXPECT_FALSE(same_digest(client, client.substr(1)));
}

TEST(Addresses, areAHostAndAPort) {
  Diagnostics diags;
  EXPECT_EQ(parse_address("board:80", "--remote", diags)->host, "board");
  EXPECT_EQ(parse_address("[::1]:9190", "--remote", diags)->host, "::1");
  for (const char* wrong : {"", "board", "board:", ":80", "board:http", "board:65536", "::1:80", "b:-1"})
    EXPECT_FALSE(parse_address(wrong, "--remote", diags)) << wrong;
  EXPECT_EQ(to_string(diags.all()[1]), "error: '--remote': not an address (found 'board', expected HOST:PORT)");
}

}  // namespace
}  // namespace byoc::remote
