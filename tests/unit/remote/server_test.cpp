// A server and its clients on this machine: what they agree on, and what becomes of those that misbehave.
#include <dirent.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "sdk/base/support/blob.hpp"
#include "sdk/base/support/process.hpp"
#include "sdk/run/remote/client.hpp"
#include "sdk/run/remote/confine.hpp"
#include "tests/support/remote_server.hpp"

namespace byoc::remote {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

using test::kToken;

// m adds one to four bytes; s counts its runs; the others go wrong.
constexpr const char* kModel = R"(
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
typedef struct { const uint8_t *x; } in_t;
typedef struct { uint8_t *y; } out_t;
int32_t m_run(const in_t *in, const out_t *out, void *w) {
  for (int i = 0; i < 4; ++i) out->y[i] = (uint8_t)(in->x[i] + 1);
  (void)w;
  return 0;
}
int32_t s_init(uint8_t *n) { return *n = 10, 0; }
int32_t s_reset(uint8_t *n) { return *n = 20, 0; }
int32_t s_deinit(uint8_t *n) { return *n = 0, 0; }
int32_t s_run(uint8_t *n, const in_t *in, const out_t *out, void *w) {
  (void)in; (void)w;
  for (int i = 0; i < 4; ++i) out->y[i] = *n;
  ++*n;
  return 0;
}
int32_t crash_run(const in_t *in, const out_t *out, void *w) { (void)in; (void)out; (void)w; abort(); }
int32_t fail_run(const in_t *in, const out_t *out, void *w) { (void)in; (void)out; (void)w; return 7; }
int32_t loop_run(const in_t *in, const out_t *out, void *w) {
  (void)in; (void)out; (void)w;
  for (volatile int i = 0;; ++i) {}
}
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
// The server is process x. y: may it be signalled, is its memory open, does some descriptor give a connection, can files
// be made.
int32_t evil_run(const in_t *in, const out_t *out, void *w) {
  int server = in->x[0] | in->x[1] << 8 | in->x[2] << 16 | in->x[3] << 24;
  char path[64];
  (void)w;
  out->y[0] = kill(server, 0) == 0;
  snprintf(path, sizeof path, "/proc/%d/mem", server);
  out->y[1] = open(path, O_RDONLY) >= 0;
  out->y[2] = 0;
  for (int fd = 3; fd < 256; ++fd) {
    int listening = 0;
    socklen_t size = sizeof listening;
    if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) == 0 && listening) out->y[2] = 1;
  }
  out->y[3] = open(FOLDER "/made", O_CREAT | O_WRONLY, 0600) >= 0 || mkdir(FOLDER "/folder", 0700) == 0;
  return 0;
}
// y: folders of clients that it sees.
int32_t look_run(const in_t *in, const out_t *out, void *w) {
  (void)in; (void)w;
  memset(out->y, 0, 4);
  DIR *folder = opendir(FOLDER "/served");
  for (struct dirent *e; folder != 0 && (e = readdir(folder)) != 0;) out->y[0] += e->d_name[0] != '.';
  return 0;
}
// It leaves a process behind that has left its session.
int32_t leave_run(const in_t *in, const out_t *out, void *w) {
  (void)in; (void)out; (void)w;
  if (fork() == 0) {
    setsid();
    if (fork() == 0) for (;;) pause();
    _exit(0);
  }
  kill(getppid(), SIGKILL);
  kill(1, SIGKILL);
  return 0;
}
int32_t eat_run(const in_t *in, const out_t *out, void *w) {
  (void)in; (void)out; (void)w;
  for (;;) { volatile char *p = malloc(1 << 20); *p = 1; }
}
)";

class RemoteServer : public testing::Test {
 protected:
  void SetUp() override {
    if (find_program("cc").empty()) GTEST_SKIP() << "no C compiler";
    dir_ = testing::TempDir() + "byoc_remote.XXXXXX";
    ASSERT_NE(::mkdtemp(dir_.data()), nullptr);
    fs::create_directory(served());
    std::ofstream(dir_ + "/m.c") << kModel;
    ASSERT_EQ(
        run_process({"cc", "-shared", "-fPIC", "-DFOLDER=\"" + dir_ + "\"", "-o", library(), dir_ + "/m.c"}, diags_)
            ->exit_code,
        0);
  }
  void TearDown() override {
    server_.stop();
    fs::remove_all(dir_);
  }

  [[nodiscard]] std::string served() const { return dir_ + "/served"; }
  [[nodiscard]] std::string library() const { return dir_ + "/m.so"; }

  void start(const ServeOptions& options = {}) { server_.start(served(), options); }

  Result<Client> client(const std::string& token = kToken) {
    return Client::connect({server_.address(), token, {}}, diags_);
  }
  Result<Client> loaded(const std::string& prefix, std::uint64_t instance = 0) {
    auto out = client();
    const auto file = MappedFile::open(library(), diags_);
    if (!out || !out->load((*file)->bytes(), {prefix, {instance, 1}, {{4, 1}}, {{4, 1}}, {{8, 8}}}, diags_))
      return failure;
    return out;
  }
  Result<RemoteRun> run(Client& client, std::vector<std::vector<std::uint8_t>> inputs = {{1, 2, 3, 4}},
                        bool reset = false, std::uint32_t repeats = 1) {
    std::vector<std::span<const std::byte>> bytes;
    for (const auto& i : inputs) bytes.push_back(std::as_bytes(std::span(i)));
    return client.run(bytes, reset, repeats, diags_);
  }
  static std::vector<int> numbers(const std::vector<std::byte>& bytes) {
    std::vector<int> out;
    for (const std::byte b : bytes) out.push_back(std::to_integer<int>(b));
    return out;
  }
  [[nodiscard]] std::string last_error() const { return diags_.all().empty() ? "" : to_string(diags_.all().back()); }

  // Its own children, and theirs.
  [[nodiscard]] std::vector<pid_t> processes() const {
    std::multimap<pid_t, pid_t> children;
    for (const auto& entry : fs::directory_iterator("/proc")) {
      std::ifstream stat(entry.path() / "stat");
      std::string name;
      pid_t pid = 0, parent = 0;
      char state = 0;
      if (stat >> pid && std::getline(stat, name, ')') && stat >> state >> parent && state != 'Z')
        children.emplace(parent, pid);
    }
    std::vector<pid_t> out{server_.pid()};
    for (std::size_t i = 0; i < out.size(); ++i)
      for (auto [at, end] = children.equal_range(out[i]); at != end; ++at) out.push_back(at->second);
    out.erase(out.begin());
    return out;
  }
  // Clients that are gone leave nothing; it takes the server a moment to see that.
  void expect_nothing_left() {
    for (int i = 0; i < 2000 && !(processes().empty() && fs::is_empty(served())); ++i) std::this_thread::sleep_for(5ms);
    EXPECT_TRUE(processes().empty());
    EXPECT_TRUE(fs::is_empty(served()));
  }

  Diagnostics diags_;
  std::string dir_;  // not known to the server as its own
  test::ServerProcess server_;
};

TEST_F(RemoteServer, runsWhatWasUploaded) {
  start();
  auto c = loaded("m");
  ASSERT_TRUE(c) << last_error();
  EXPECT_EQ(c->machine(), this_machine());
  const auto ran = run(*c, {{1, 2, 3, 255}, {5, 6, 7, 8}}, false, 3);
  ASSERT_TRUE(ran) << last_error();
  ASSERT_EQ(ran->outputs.size(), 2U);
  EXPECT_EQ(numbers(ran->outputs[0]), (std::vector<int>{2, 3, 4, 0}));
  EXPECT_EQ(numbers(ran->outputs[1]), (std::vector<int>{6, 7, 8, 9}));
  EXPECT_EQ(ran->nanoseconds.size(), 3U);
  c = failure;
  expect_nothing_left();
}

TEST_F(RemoteServer, anInstanceIsKeptBetweenRunsAndReset) {
  start();
  auto c = loaded("s", 1);
  ASSERT_TRUE(c) << last_error();
  const auto ran = run(*c, {{0, 0, 0, 0}, {0, 0, 0, 0}});
  ASSERT_TRUE(ran) << last_error();
  EXPECT_EQ(numbers(ran->outputs[0])[0], 10);
  EXPECT_EQ(numbers(ran->outputs[1])[0], 11);
  const auto reset = run(*c, {{0, 0, 0, 0}, {0, 0, 0, 0}}, true);
  ASSERT_TRUE(reset);
  EXPECT_EQ(numbers(reset->outputs[0])[0], 12);
  EXPECT_EQ(numbers(reset->outputs[1])[0], 20);
}

TEST_F(RemoteServer, aWrongTokenIsRefused) {
  start();
  EXPECT_FALSE(client("another token, as long"));
  EXPECT_NE(last_error().find("the server refuses: the token is wrong"), std::string::npos) << last_error();
  // A wrong one is answered late, and others need not wait for that.
  std::thread wrong([&] {
    Diagnostics diags;
    EXPECT_FALSE(Client::connect({server_.address(), "another token, as long", {}}, diags));
  });
  EXPECT_TRUE(client());
  wrong.join();
}

TEST_F(RemoteServer, whatAModelDoesEndsWithIt) {
  ServeOptions options;
  options.session.limits.seconds = 2;
  options.session.limits.memory = std::uint64_t{256} << 20;
  start(options);
  const std::map<std::string, std::string> ends{{"crash", "the model died of signal 6 (Aborted)"},
                                                {"fail", "fail_run returned 7"},
                                                {"loop", "the model took longer than 2 s"},
                                                {"eat", "the model needed more than 256 MiB of memory"}};
  for (const auto& [prefix, end] : ends) {
    auto c = loaded(prefix);
    ASSERT_TRUE(c) << last_error();
    EXPECT_FALSE(run(*c)) << prefix;
    EXPECT_NE(last_error().find(end), std::string::npos) << last_error();
  }
  auto c = loaded("m");
  ASSERT_TRUE(c) << last_error();
  EXPECT_TRUE(run(*c));
  c = failure;
  expect_nothing_left();
}

TEST_F(RemoteServer, aModelReachesNeitherTheServerNorOtherClients) {
  const Confinement given = try_confinement();
  start();
  auto c = loaded("evil");
  ASSERT_TRUE(c) << last_error();
  std::vector<std::uint8_t> pid(4);
  for (std::size_t i = 0; i < pid.size(); ++i) pid[i] = static_cast<std::uint8_t>(server_.pid() >> (8 * i));
  const auto ran = run(*c, {pid});
  ASSERT_TRUE(ran) << last_error();
  const std::vector<int> got = numbers(ran->outputs[0]);
  EXPECT_EQ(got[1], 0) << "memory";
  EXPECT_EQ(got[2], 0) << "connections";
  if (!given.whole()) GTEST_SKIP() << describe(given);
  EXPECT_EQ(got[0], 0) << "signals";
  EXPECT_EQ(got[3], 0) << "files";
  auto other = loaded("look");
  const auto seen = other ? run(*other) : Result<RemoteRun>(failure);
  ASSERT_TRUE(seen) << last_error();
  EXPECT_EQ(numbers(seen->outputs[0])[0],
            given.namespaces ? 1 : 0);  // of two clients; rules let it see not even its own
}

TEST_F(RemoteServer, whatAModelLeavesEndsWithItsSession) {
  start();
  auto c = loaded("leave");
  ASSERT_TRUE(c) << last_error();
  (void)run(*c);
  c = failure;
  expect_nothing_left();
  EXPECT_TRUE(client());
}

// Whatever number of them there is, and as long as they go on.
TEST_F(RemoteServer, connectionsWithoutTheTokenKeepNobodyOut) {
  start();
  Diagnostics diags;
  const auto address = parse_address(server_.address(), "", diags);
  const std::string half = framed(std::string(200, 'x')).substr(0, 40);
  std::atomic<bool> end = false;
  std::thread flood([&] {
    std::vector<std::unique_ptr<Stream>> bad(500);
    for (std::size_t i = 0; !end; i = (i + 1) % bad.size()) {
      Diagnostics ignored;
      auto made = connect(*address, {}, 1s, ignored);
      if (made && i % 2 != 0) (void)(*made)->send(std::as_bytes(std::span(half)), 1s);
      bad[i] = made ? std::move(*made) : nullptr;
      std::this_thread::sleep_for(1ms);
    }
  });
  std::this_thread::sleep_for(500ms);
  for (int i = 0; i < 3; ++i) {
    auto c = loaded("m");
    ASSERT_TRUE(c) << last_error();
    EXPECT_TRUE(run(*c)) << last_error();
  }
  end = true;
  flood.join();
}

TEST_F(RemoteServer, whatDoesNotFitIsRefusedAndSaysWhy) {
  ServeOptions options;
  options.session.limits.upload = 64 << 10;
  start(options);
  auto c = client();
  ASSERT_TRUE(c);
  const std::vector<std::byte> large(100'000), text(100, std::byte{'x'});
  const ModelCalls calls{"m", {}, {{4, 1}}, {{4, 1}}, {{8, 8}}};
  const auto refused = [&](const std::string& why) {
    EXPECT_NE(last_error().find(why), std::string::npos) << last_error();
  };
  EXPECT_FALSE(c->load(large, calls, diags_));
  refused("the upload is too large: 100000 bytes, where 65536 are left of 65536");
  EXPECT_FALSE(c->load(text, calls, diags_));
  refused("that is no shared library");
  EXPECT_FALSE(run(*c));
  refused("no model is loaded");
  auto header = text;
  std::memcpy(header.data(), "\177ELF\1\2\1", 7);
  EXPECT_FALSE(c->load(header, calls, diags_));
  refused("the library is for another machine (found machine ");
  const auto file = MappedFile::open(library(), diags_);
  EXPECT_FALSE(c->load((*file)->bytes(), {"nobody", {}, {}, {}, {{8, 8}}}, diags_));
  refused("the library has no function nobody_run");
  EXPECT_FALSE(c->load((*file)->bytes(), {"m", {}, {}, {}, {}}, diags_));
  refused("no number of workspaces");
  ASSERT_TRUE(c->load((*file)->bytes(), calls, diags_)) << last_error();
  EXPECT_FALSE(run(*c, {{1, 2}}));
  refused("input 0 is of the wrong size: 2 bytes instead of 4");
  EXPECT_FALSE(run(*c, {}));
  refused("wrong number of inputs: 0, 1 for each run");
  EXPECT_TRUE(run(*c));
}

TEST_F(RemoteServer, whatIsNoProtocolEndsTheConnectionAndNothingElse) {
  start();
  Diagnostics diags;
  const auto address = parse_address(server_.address(), "", diags);
  for (const std::string& said : {std::string("GET / HTTP/1.1\r\n\r\n"), std::string(4096, '\xff'), std::string()}) {
    auto stream = connect(*address, {}, 1s, diags);
    ASSERT_TRUE(stream);
    (void)(*stream)->send(std::as_bytes(std::span(said)), 1s);
  }
  EXPECT_TRUE(client());
  expect_nothing_left();
}

// Pieces that are not what was offered: more of it, or of another hash.
TEST_F(RemoteServer, blobsAreWhatTheirHashSays) {
  start();
  Diagnostics diags;
  const auto address = parse_address(server_.address(), "", diags);
  for (const auto& [piece, why] : std::map<std::string, std::string>{{"abcd", "more was sent than offered"},
                                                                     {"abc", "the blob is not what its hash says"}}) {
    auto stream = connect(*address, {}, 1s, diags);
    ASSERT_TRUE(stream);
    Frames frames(**stream);
    const auto hello = read_hello(*frames.receive(kLongestGreeting, 5s));
    const std::string nonce = make_nonce();
    ASSERT_TRUE(frames.send(write(Greeting{1, nonce, proof(kToken, "client", *hello, nonce)}), 1s));
    ASSERT_TRUE(frames.receive(kLongestFrame, 5s));
    ASSERT_TRUE(frames.send(write(Offer{std::string(32, '/'), 3}), 1s));
    EXPECT_EQ(read_reply(*frames.receive(kLongestFrame, 5s))->problem, "");
    ASSERT_TRUE(frames.send(write_piece(piece), 1s));
    EXPECT_EQ(read_reply(*frames.receive(kLongestFrame, 5s))->problem, why);
  }
  expect_nothing_left();
}

TEST_F(RemoteServer, processesThatAreKilledTakeTheirThingsWithThem) {
  start();
  auto c = loaded("m");
  ASSERT_TRUE(c) << last_error();
  ASSERT_TRUE(run(*c));
  for (const pid_t pid : processes()) ::kill(pid, SIGKILL);
  EXPECT_FALSE(run(*c));
  EXPECT_NE(last_error().find("the server is gone"), std::string::npos) << last_error();
  expect_nothing_left();
  EXPECT_TRUE(client());
}

TEST_F(RemoteServer, aHundredClientsAtOnceLeaveNothing) {
  start();
  std::vector<std::thread> threads;
  std::vector<int> good(100);
  for (std::size_t i = 0; i < good.size(); ++i)
    threads.emplace_back([&, i] {
      Diagnostics diags;
      auto c = Client::connect({server_.address(), kToken, {}}, diags);
      const std::vector<std::byte> input(4, static_cast<std::byte>(i));
      const auto file = MappedFile::open(library(), diags);
      if (!c || !c->load((*file)->bytes(), {"m", {}, {{4, 1}}, {{4, 1}}, {{8, 8}}}, diags)) return;
      const std::vector<std::span<const std::byte>> inputs{input};
      const auto ran = c->run(inputs, false, 1, diags);
      good[i] = ran && ran->outputs[0][0] == static_cast<std::byte>(i + 1);
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(std::count(good.begin(), good.end(), 1), 100);
  expect_nothing_left();
}

TEST_F(RemoteServer, itsEndIsTheEndOfEverything) {
  start();
  auto c = loaded("m");
  ASSERT_TRUE(c) << last_error();
  const std::vector<pid_t> before = processes();
  EXPECT_FALSE(before.empty());
  server_.stop();
  EXPECT_TRUE(fs::is_empty(served()));
  for (const pid_t pid : before) {
    for (int i = 0; i < 2000 && ::kill(pid, 0) == 0; ++i) std::this_thread::sleep_for(5ms);
    EXPECT_NE(::kill(pid, 0), 0);
  }
}

TEST_F(RemoteServer, othersNeedTlsUnlessItIsMeant) {
  ServeOptions options;
  options.listen = {"0.0.0.0", "0"};
  EXPECT_FALSE(serve(options, diags_));
  EXPECT_NE(last_error().find("others could read and change what goes over this network without TLS"),
            std::string::npos)
      << last_error();
}

TEST_F(RemoteServer, tokensAreNotShort) {
  const std::string file = dir_ + "/token";
  std::ofstream(file) << "sixteen letters!\n";
  EXPECT_EQ(*read_token(file, diags_), "sixteen letters!");
  std::ofstream(file) << "short\n";
  EXPECT_FALSE(read_token(file, diags_));
  EXPECT_NE(last_error().find("the token is too short (found 5 characters, expected at least 16)"), std::string::npos);
}

TEST_F(RemoteServer, tokensAreForOneUser) {
  const std::string file = dir_ + "/token";
  std::ofstream(file) << "sixteen letters!\n";
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_TRUE(check_private(file, diags_));
  for (const fs::perms others : {fs::perms::group_read, fs::perms::others_read, fs::perms::others_write}) {
    fs::permissions(file, fs::perms::owner_read | others);
    EXPECT_FALSE(check_private(file, diags_));
    EXPECT_NE(last_error().find("others may read or write the token (found permissions 4"), std::string::npos)
        << last_error();
  }
}

TEST_F(RemoteServer, goesOverTls) {
  if (!has_tls() || find_program("openssl").empty()) GTEST_SKIP() << "no OpenSSL";
  const std::string key = dir_ + "/key.pem", certificate = dir_ + "/certificate.pem";
  ASSERT_EQ(run_process({"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                         "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=127.0.0.1", "-addext",
                         "subjectAltName=IP:127.0.0.1"},
                        diags_)
                ->exit_code,
            0);
  ServeOptions options;
  options.tls = {certificate, key};
  start(options);
  EXPECT_TRUE(Client::connect({server_.address(), kToken, certificate}, diags_)) << last_error();
  EXPECT_FALSE(Client::connect({server_.address(), kToken, key}, diags_));
  EXPECT_NE(last_error().find("holds no certificates that can be read"), std::string::npos) << last_error();
}

}  // namespace
}  // namespace byoc::remote
