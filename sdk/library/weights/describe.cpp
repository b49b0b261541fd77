#include "sdk/library/weights/describe.hpp"

#include <nlohmann/json.hpp>

#include "sdk/base/page/json_page.hpp"
#include "sdk/base/support/json.hpp"
#include "sdk/base/support/sha256.hpp"

namespace byoc::weights {

std::string contents_text(const Weights& weights) {
  std::string out;
  for (const ReadBlob& b : weights.blobs) {
    const Header& h = b.header;
    out += "weights of " + (b.model.empty() ? "a model" : b.model) + ", version " + std::to_string(h.version) + ", " +
           std::to_string(h.payload_bytes) + " bytes at a multiple of " + std::to_string(h.align) + ", sequence " +
           std::to_string(h.sequence) +
           (h.is_signed() ? ", signed (" + signature_kind(h.flags) + ")" : ", not signed") + "\n";
    out += "  layout " + to_hex(h.layout) + "\n  model  " + to_hex(h.model) + "\n  sha256 " + to_hex(h.sha256) + "\n";
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
                     {"signature", signature_kind(h.flags)},
                     {"bytes", h.blob_bytes},
                     {"payload_offset", h.payload_offset},
                     {"payload_bytes", h.payload_bytes},
                     {"align", h.align},
                     {"layout", to_hex(h.layout)},
                     {"model_sha256", to_hex(h.model)},
                     {"payload_sha256", to_hex(h.sha256)},
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
