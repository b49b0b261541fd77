#include "sdk/run/remote/client.hpp"

#include <algorithm>

namespace byoc::remote {
namespace {

using std::chrono::seconds;

constexpr seconds kConnectTime{10};
constexpr seconds kHelloTime{60};  // a server that is busy lets clients wait
constexpr seconds kPieceTime{60};
constexpr seconds kSlack{30};  // beyond the time that the server gives itself

std::string_view text_of_bytes(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

Failure Client::broken(Diagnostics& diags) const {
  return diags.error(address_, {}, "the server is gone: " + frames_->problem());
}

Result<Client> Client::connect(const RemoteServer& server, Diagnostics& diags) {
  const auto address = parse_address(server.address, "--remote", diags);
  if (!address) return failure;
  auto stream = remote::connect(*address, server.authorities, kConnectTime, diags);
  return stream ? over(std::move(*stream), server.address, server.token, diags) : failure;
}

Result<Client> Client::over(std::unique_ptr<Stream> stream, std::string address, const std::string& token,
                            Diagnostics& diags) {
  Client out(std::move(address), std::move(stream));
  if (!out.authenticate(token, diags)) return failure;
  return out;
}

Result<void> Client::authenticate(const std::string& token, Diagnostics& diags) {
  const auto first = frames_->receive(kLongestGreeting, kHelloTime);
  const auto hello = first ? read_hello(*first) : std::nullopt;
  if (!hello) return diags.error(address_, {}, "is no byoc server" + (first ? "" : ": " + frames_->problem()));
  if (hello->version != kProtocolVersion)
    return diags.error(address_, {}, "the server speaks another version of the protocol",
                       std::to_string(hello->version), std::to_string(kProtocolVersion));
  machine_ = hello->machine;
  const std::string nonce = make_nonce();
  const Greeting greeting{kProtocolVersion, nonce, proof(token, "client", *hello, nonce)};
  if (!frames_->send(write(greeting), kHelloTime)) return broken(diags);
  const auto second = frames_->receive(kLongestFrame, kHelloTime);
  const auto welcome = second ? read_welcome(*second) : std::nullopt;
  if (!welcome) return broken(diags);
  if (!welcome->refusal.empty()) return diags.error(address_, {}, "the server refuses: " + welcome->refusal);
  if (!same_digest(welcome->proof, proof(token, "server", *hello, nonce)))
    return diags.error(address_, {}, "the server does not know the token");
  limits_ = welcome->limits;
  return {};
}

Result<std::string> Client::ask(const std::string& request, std::chrono::milliseconds within, Diagnostics& diags) {
  if (!frames_->send(request, kPieceTime)) return broken(diags);
  const auto message = frames_->receive(kLongestFrame, within);
  if (!message) return broken(diags);
  auto reply = read_reply(*message);
  if (!reply) return diags.error(address_, {}, "the server sent what is no reply");
  if (!reply->problem.empty()) return diags.error(address_, {}, reply->problem);
  return std::move(reply->bytes);
}

Result<std::string> Client::upload(std::span<const std::byte> bytes, Diagnostics& diags) {
  const std::string sha256(text_of(byoc::sha256(bytes)));
  const auto there = ask(write(Offer{sha256, bytes.size()}), kPieceTime, diags);
  if (!there) return failure;
  if (*there == "there") return sha256;
  std::string_view rest = text_of_bytes(bytes);
  while (rest.size() > kPiece) {
    if (!frames_->send(write_piece(rest.substr(0, kPiece)), kPieceTime)) return broken(diags);
    rest.remove_prefix(kPiece);
  }
  if (!ask(write_piece(rest), kPieceTime, diags)) return failure;
  return sha256;
}

Result<void> Client::load(std::span<const std::byte> library, ModelCalls calls, Diagnostics& diags,
                          std::span<const std::span<const std::byte>> contents) {
  const auto sha256 = upload(library, diags);
  if (!sha256) return failure;
  for (std::size_t i = 0; i < contents.size(); ++i) {
    auto content = upload(contents[i], diags);
    if (!content) return failure;
    calls.graph->contents[i].blob = std::move(*content);
  }
  const std::string request = write(Load{*sha256, calls});
  if (request.size() > kLongestFrame)
    return diags.error(address_, {}, "the graph is too large for the protocol",
                       std::to_string(request.size()) + " bytes", "at most " + std::to_string(kLongestFrame));
  if (!ask(request, seconds(limits_.seconds) + kSlack, diags)) return failure;
  calls_ = std::move(calls);
  return {};
}

Result<RemoteRun> Client::run(std::span<const std::span<const std::byte>> inputs, bool reset, std::uint32_t repeats,
                              Diagnostics& diags) {
  RunRequest run{{}, reset, repeats};
  for (const auto& input : inputs) {
    auto sha256 = upload(input, diags);
    if (!sha256) return failure;
    run.inputs.push_back(std::move(*sha256));
  }
  const auto answer = ask(write(run), seconds(limits_.seconds) + kSlack, diags);
  if (!answer) return failure;
  const auto ran = read_ran(*answer);
  std::uint64_t each = 0;
  for (const BufferNeed& need : calls_.outputs) each += need.bytes;
  const std::size_t runs = calls_.inputs.empty() ? 1 : inputs.size() / std::max<std::size_t>(calls_.inputs.size(), 1);
  if (!ran || ran->output_bytes != each * runs || ran->nanoseconds.size() != std::max(repeats, 1U))
    return diags.error(address_, {}, "the server sent what is no result");
  std::string bytes;
  while (bytes.size() < ran->output_bytes) {
    const std::uint64_t next = std::min<std::uint64_t>(kPiece, ran->output_bytes - bytes.size());
    const auto piece = ask(write(Fetch{bytes.size(), next}), kPieceTime, diags);
    if (!piece) return failure;
    if (piece->size() != next) return diags.error(address_, {}, "the server sent what is no result");
    bytes += *piece;
  }
  RemoteRun out{{}, ran->nanoseconds};
  const auto* at = reinterpret_cast<const std::byte*>(bytes.data());
  for (std::size_t r = 0; r < runs; ++r)
    for (const BufferNeed& need : calls_.outputs) {
      out.outputs.emplace_back(at, at + need.bytes);
      at += need.bytes;
    }
  return out;
}

}  // namespace byoc::remote
