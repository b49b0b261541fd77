#include "sdk/library/weights/write.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "sdk/base/support/crc32.hpp"
#include "sdk/base/support/file.hpp"
#include "sdk/base/support/json.hpp"
#include "sdk/base/support/sha256.hpp"
#include "sdk/library/object/blob_stream.hpp"
#include "sdk/library/weights/intel_hex.hpp"
#include "sdk/library/weights/sign.hpp"

namespace byoc::weights {
namespace {

std::uint64_t rounded(std::uint64_t n, std::uint64_t to) { return (n + to - 1) / to * to; }

Digest digest_of_hex(const std::string& hex) {
  Digest out{};
  for (std::size_t i = 0; i < out.size() && hex.size() == 2 * out.size(); ++i)
    out[i] = static_cast<std::uint8_t>(std::stoul(hex.substr(2 * i, 2), nullptr, 16));
  return out;
}

Json ends_json(const std::vector<IoTensor>& tensors) {
  Json out = Json::array();
  for (const IoTensor& t : tensors)
    out.push_back({{"name", utf8(t.name)},
                   {"type", std::string(to_string(t.dtype))},
                   {"scales", t.quantisation.scales},
                   {"zero_points", t.quantisation.zero_points}});
  return out;
}

std::string directory(const BoundConstants& constants, const Request& request) {
  Json list = Json::array();
  for (const BoundConstant& c : constants.constants)
    list.push_back({{"symbol", c.symbol},
                    {"offset", c.offset},
                    {"bytes", c.bytes.size()},
                    {"type", std::string(to_string(c.element))}});
  const Json out = {{"model", request.model},
                    {"constants", list},
                    {"inputs", ends_json(request.inputs)},
                    {"outputs", ends_json(request.outputs)}};
  return json_text(out);
}

// The payload: every constant in its place, zeros between them.
template <class Put>
bool stream_payload(const BoundConstants& constants, const Put& put) {
  std::uint64_t at = 0;
  const auto zeros_to = [&](std::uint64_t end) {
    const std::vector<std::byte> zeros(static_cast<std::size_t>(end - at));
    at = end;
    return zeros.empty() || put(std::span<const std::byte>(zeros));
  };
  for (const BoundConstant& c : constants.constants) {
    if (!zeros_to(c.offset) || !read_pieces(c.bytes, put)) return false;
    at = c.offset + c.bytes.size();
  }
  return zeros_to(constants.bytes);
}

}  // namespace

Result<WeightsFile> WeightsFile::make(BoundConstants constants, const Request& request, Diagnostics& diags) {
  WeightsFile out;
  out.constants_ = std::move(constants);
  out.directory_ = directory(out.constants_, request);
  Header& h = out.header_;
  Signer signer;
  if (!request.key.empty()) {
    auto opened = key_signer(request.key, diags);
    if (!opened) return failure;
    signer = std::move(*opened);
  }
  h.flags = signer.flags;
  h.sequence = request.sequence;
  h.align = out.constants_.align;
  h.payload_offset = static_cast<std::uint32_t>(rounded(kHeaderBytes, h.align));
  h.payload_bytes = out.constants_.bytes;
  h.blob_bytes = rounded(h.payload_offset + h.payload_bytes + out.directory_.size(), std::max(kBlobAlign, h.align));
  h.layout = out.constants_.layout;
  h.model = digest_of_hex(request.model_sha256);
  Sha256 sha256;
  if (!stream_payload(out.constants_, [&](std::span<const std::byte> piece) { return sha256.update(piece), true; }))
    return diags.error({}, request.model, "its weights cannot be read to their end");
  h.sha256 = sha256.finish();
  std::array<std::byte, kHeaderBytes> head = encode(h);
  std::uint32_t sum = crc32(std::span(head).first(kSignedBytes));
  if (!stream_payload(out.constants_, [&](std::span<const std::byte> piece) { return sum = crc32(piece, sum), true; }))
    return diags.error({}, request.model, "its weights cannot be read to their end");
  h.crc32 = sum;
  if (!request.key.empty()) {
    head = encode(h);
    const auto signature = signer.sign(std::span(head).first(kSignedBytes), diags);
    if (!signature) return failure;
    h.signature = *signature;
  }
  return out;
}

template <class Put>
bool WeightsFile::stream(const Put& put) const {
  std::vector<std::byte> head(header_.payload_offset);
  std::ranges::copy(encode(header_), head.begin());
  std::string tail = directory_;
  tail.resize(static_cast<std::size_t>(header_.blob_bytes - header_.payload_offset - header_.payload_bytes), ' ');
  return put(std::span<const std::byte>(head)) && stream_payload(constants_, put) &&
         put(std::as_bytes(std::span(tail)));
}

bool WeightsFile::write(int fd) const {
  return stream([&](std::span<const std::byte> piece) { return write_all(fd, piece); });
}

bool WeightsFile::write_hex(int fd, std::uint32_t address) const {
  IntelHexWriter hex(address);
  const auto put_text = [&](const std::string& text) { return write_all(fd, std::as_bytes(std::span(text))); };
  return stream([&](std::span<const std::byte> piece) { return put_text(hex.add(piece)); }) && put_text(hex.finish());
}

std::vector<std::byte> WeightsFile::bytes() const {
  std::vector<std::byte> out;
  out.reserve(static_cast<std::size_t>(header_.blob_bytes));
  if (!stream(
          [&](std::span<const std::byte> piece) { return out.insert(out.end(), piece.begin(), piece.end()), true; }))
    out.clear();
  return out;
}

}  // namespace byoc::weights
