#include "sdk/library/weights/describe.hpp"

#include <nlohmann/json.hpp>

#include "sdk/base/page/json_page.hpp"
#include "sdk/base/support/json.hpp"

namespace byoc::weights {

std::string hex_of(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const std::uint8_t b : bytes) {
    out += kDigits[b >> 4];
    out += kDigits[b & 15];
  }
  return out;
}

std::string contents_text(const Weights& weights) {
  std::string out;
  for (const ReadBlob& b : weights.blobs) {
    const Header& h = b.header;
    out += "weights of " + (b.model.empty() ? "a model" : b.model) + ", version " + std::to_string(h.version) + ", " +
           std::to_string(h.payload_bytes) + " bytes at a multiple of " + std::to_string(h.align) + ", sequence " +
           std::to_string(h.sequence) + (h.is_signed() ? ", signed" : ", not signed") + "\n";
    out += "  layout " + hex_of(h.layout) + "\n  model  " + hex_of(h.model) + "\n  sha256 " + hex_of(h.sha256) + "\n";
    for (const Entry& e : b.entries)
      out += "  " + std::to_string(e.offset) + ": " + e.symbol + ", " + e.type + ", " + std::to_string(e.bytes) +
             " bytes\n";
  }
  return out;
}

namespace {

Json describe(const Weights& weights) {
  Json blobs = Json::array();
  for (const ReadBlob& b : weights.blobs) {
    const Header& h = b.header;
    Json constants = Json::array();
    for (const Entry& e : b.entries)
      constants.push_back({{"symbol", e.symbol}, {"offset", e.offset}, {"bytes", e.bytes}, {"type", e.type}});
    blobs.push_back({{"model", b.model},
                     {"version", h.version},
                     {"sequence", h.sequence},
                     {"signed", h.is_signed()},
                     {"bytes", h.blob_bytes},
                     {"payload_offset", h.payload_offset},
                     {"payload_bytes", h.payload_bytes},
                     {"align", h.align},
                     {"layout", hex_of(h.layout)},
                     {"model_sha256", hex_of(h.model)},
                     {"payload_sha256", hex_of(h.sha256)},
                     {"constants", constants}});
  }
  return {{"format", 1}, {"kind", "weights"}, {"blobs", blobs}};
}

}  // namespace

std::string contents_json(const Weights& weights) { return json_text(describe(weights), 2) + "\n"; }

std::string contents_page(const Weights& weights, const std::string& title) {
  page::Page page(title, "weights");
  page::add_json(describe(weights), page);
  return page.html();
}

}  // namespace byoc::weights
