#include "sdk/run/remote/session.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <optional>
#include <thread>

#include "sdk/base/support/file.hpp"

namespace byoc::remote {
namespace {

using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

constexpr seconds kIdleTime{300};  // between requests
constexpr std::size_t kMostBlobs = 65536;
constexpr std::uint32_t kMostRepeats = 1'000'000;

// Blobs by their hash: each a file of that name, which nothing of the peer's but its digits is in.
class BlobStore {
 public:
  BlobStore(std::string directory, std::uint64_t limit) : directory_(std::move(directory)), limit_(limit) {}
  ~BlobStore() { close(); }
  BlobStore(const BlobStore&) = delete;
  BlobStore& operator=(const BlobStore&) = delete;

  [[nodiscard]] bool has(const std::string& sha256) const { return blobs_.contains(sha256); }
  [[nodiscard]] std::string path(const std::string& sha256) const {
    Digest digest{};
    std::memcpy(digest.data(), sha256.data(), digest.size());
    return directory_ + "/" + to_hex(digest);
  }

  // The next pieces are of this one. A problem, or "".
  std::string begin(const Offer& offer) {
    if (offer.sha256.size() != sizeof(Digest)) return "a blob is known by a SHA-256";
    if (fd_ >= 0) return "the blob before is not there yet";
    if (blobs_.size() >= kMostBlobs) return "too many blobs";
    if (offer.bytes > limit_ - used_)
      return "the upload is too large: " + std::to_string(offer.bytes) + " bytes, where " +
             std::to_string(limit_ - used_) + " are left of " + std::to_string(limit_);
    used_ += offer.bytes;
    offer_ = offer;
    hash_ = {};
    left_ = offer.bytes;
    fd_ = ::open(path(offer.sha256).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    return fd_ >= 0 ? std::string() : std::string("the blob cannot be stored: ") + std::strerror(errno);
  }

  // A problem, after which the blob is no more, or "". Once all of it is there, it is.
  std::string add(std::string_view piece) {
    if (fd_ < 0) return "no blob was offered";
    const auto bytes = std::as_bytes(std::span(piece));
    hash_.update(bytes);
    std::string problem;
    if (piece.size() > left_) problem = "more was sent than offered";
    if (problem.empty() && !write_all(fd_, bytes))
      problem = std::string("the blob cannot be stored: ") + std::strerror(errno);
    left_ -= std::min<std::uint64_t>(left_, piece.size());
    if (problem.empty() && left_ == 0 && !same_digest(text_of(hash_.finish()), offer_.sha256))
      problem = "the blob is not what its hash says";
    if (!problem.empty()) ::unlink(path(offer_.sha256).c_str());
    if (!problem.empty() || left_ == 0) close();
    if (problem.empty() && left_ == 0) blobs_[offer_.sha256] = offer_.bytes;
    return problem;
  }
  [[nodiscard]] bool complete() const { return fd_ < 0; }

 private:
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

  std::string directory_;
  std::uint64_t limit_;
  std::uint64_t used_ = 0;
  std::map<std::string, std::uint64_t> blobs_;
  Offer offer_;
  Sha256 hash_;
  std::uint64_t left_ = 0;
  int fd_ = -1;
};

class Session {
 public:
  Session(Stream& stream, const std::string& directory, const SessionOptions& options)
      : frames_(stream), directory_(directory), options_(options), blobs_(directory, options.limits.upload) {}

  std::string serve() {
    if (!options_.proved) {
      if (std::string problem = authenticate(); !problem.empty()) return problem;
      if (options_.on_proof) options_.on_proof();
    }
    const auto end = Clock::now() + seconds(options_.session_seconds);
    while (Clock::now() < end) {
      const auto message = frames_.receive(kLongestFrame, uploading() ? seconds(options_.limits.seconds) : kIdleTime);
      if (!message) return frames_.problem();
      const auto request = read_request(*message);
      if (!request) return "sent what is no request";
      const Reply reply = answer(*request);
      // Pieces are not answered one by one, but for the last, and the one that does not fit.
      if (request->op == Op::piece && reply.problem.empty() && uploading()) continue;
      if (!frames_.send(write(reply), seconds(options_.limits.seconds))) return frames_.problem();
      if (request->op == Op::piece && !reply.problem.empty()) return reply.problem;
    }
    return "took longer than " + std::to_string(options_.session_seconds) + " s";
  }

 private:
  [[nodiscard]] bool uploading() const { return !blobs_.complete(); }

  // All of it within the time that is left for the proof. A wrong one is answered late.
  std::string authenticate() {
    const auto left = [&] {
      return std::max(std::chrono::duration_cast<std::chrono::milliseconds>(options_.proof_until - Clock::now()),
                      std::chrono::milliseconds(0));
    };
    const Hello hello{kProtocolVersion, this_machine(), make_nonce()};
    if (!frames_.send(write(hello), left())) return frames_.problem();
    const auto message = frames_.receive(kLongestGreeting, left());
    if (!message) return frames_.problem();
    const Welcome welcome = welcome_of(*message, hello, options_.token, options_.limits);
    if (!welcome.refusal.empty()) std::this_thread::sleep_for(kWrongTime);
    if (!frames_.send(write(welcome), kProofTime)) return frames_.problem();
    return welcome.refusal;
  }

  Reply answer(const Request& request) {
    switch (request.op) {
      case Op::offer: return offer(request.offer);
      case Op::piece: return {blobs_.add(request.piece), {}};
      case Op::load:
      case Op::load_graph: return {load(request.load), {}};
      case Op::run: return run(request.run);
      case Op::fetch: return fetch(request.fetch);
    }
    return {"no such request", {}};
  }

  // Says whether it is there already.
  Reply offer(const Offer& offer) {
    if (blobs_.has(offer.sha256)) return {{}, "there"};
    std::string problem = blobs_.begin(offer);
    if (problem.empty() && offer.bytes == 0) {
      problem = blobs_.add({});
      if (problem.empty()) return {{}, "there"};
    }
    return {problem, {}};
  }

  std::string load(const Load& load) {
    model_.reset();
    if (!blobs_.has(load.sha256)) return "the library was not uploaded";
    if (std::string problem = problem_of(load.calls); !problem.empty()) return problem;
    const std::string path = blobs_.path(load.sha256);
    if (std::string problem = check_machine(path); !problem.empty()) return problem;
    ModelCalls calls = load.calls;
    if (calls.graph)
      for (Content& c : calls.graph->contents) {
        if (!blobs_.has(c.blob)) return "contents of a workspace were not uploaded";
        c.blob = blobs_.path(c.blob);
      }
    std::string problem;
    auto model = std::make_unique<ModelProcess>(path, directory_, calls, options_.limits, problem);
    if (problem.empty()) model_ = std::move(model);
    return problem;
  }

  static std::string check_machine(const std::string& path) {
    std::array<std::byte, 64> header{};
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    const ssize_t got = fd < 0 ? -1 : ::read(fd, header.data(), header.size());
    if (fd >= 0) ::close(fd);
    const auto found = machine_of(std::span(header).first(got < 0 ? 0 : static_cast<std::size_t>(got)));
    if (!found) return "that is no shared library";
    const Machine own = this_machine();
    if (*found == own) return {};
    return "the library is for another machine (found " + to_string(*found) + ", expected " + to_string(own) + ")";
  }

  Reply run(const RunRequest& run) {
    outputs_.clear();
    if (!model_) return {"no model is loaded", {}};
    if (run.repeats > kMostRepeats) return {"too many repeats", {}};
    RunPaths paths{{}, run.reset, run.repeats};
    for (const std::string& sha256 : run.inputs) {
      if (!blobs_.has(sha256)) return {"an input was not uploaded", {}};
      paths.inputs.push_back(blobs_.path(sha256));
    }
    Ran ran;
    const std::string problem = model_->run(paths, ran, outputs_);
    return {problem, problem.empty() ? write(ran) : std::string()};
  }

  Reply fetch(const Fetch& fetch) {
    if (fetch.bytes > kPiece || fetch.offset > outputs_.size() || fetch.bytes > outputs_.size() - fetch.offset)
      return {"there are no such outputs", {}};
    return {{}, outputs_.substr(static_cast<std::size_t>(fetch.offset), static_cast<std::size_t>(fetch.bytes))};
  }

  Frames frames_;
  const std::string& directory_;
  const SessionOptions& options_;
  BlobStore blobs_;
  std::unique_ptr<ModelProcess> model_;
  std::string outputs_;
};

}  // namespace

std::string serve_session(Stream& stream, const std::string& directory, const SessionOptions& options) {
  return Session(stream, directory, options).serve();
}

}  // namespace byoc::remote
