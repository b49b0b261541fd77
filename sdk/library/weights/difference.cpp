#include "sdk/library/weights/difference.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>

#include "sdk/base/support/json.hpp"
#include "sdk/base/support/sha256.hpp"

namespace byoc::weights {
namespace {

using What = ConstantDifference::What;

std::uint64_t count_changed(std::span<const std::byte> a, std::span<const std::byte> b) {
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) out += a[i] != b[i] ? 1 : 0;
  return out;
}

std::span<const std::byte> entry_bytes(const ReadBlob& blob, const Entry& e) {
  return blob.payload.subspan(static_cast<std::size_t>(e.offset), static_cast<std::size_t>(e.bytes));
}

std::vector<ConstantDifference> compare_constants(const ReadBlob& before, const ReadBlob& after) {
  std::map<std::string, const Entry*> old;
  for (const Entry& e : before.entries) old.emplace(e.symbol, &e);
  std::vector<ConstantDifference> out;
  for (const Entry& e : after.entries) {
    const auto found = old.find(e.symbol);
    ConstantDifference d{e.symbol, e.type, e.bytes, 0, What::added};
    if (found != old.end()) {
      const Entry& was = *found->second;
      d.changed = count_changed(entry_bytes(before, was), entry_bytes(after, e));
      d.what = was.offset != e.offset || was.bytes != e.bytes || was.type != e.type ? What::moved
               : d.changed != 0                                                     ? What::changed
                                                                                    : What::same;
      old.erase(found);
    }
    out.push_back(std::move(d));
  }
  for (const auto& [symbol, e] : old) out.push_back({symbol, e->type, e->bytes, 0, What::removed});
  return out;
}

// Pairs of inputs, or of outputs, that a program has to quantise for in another way.
void compare_ends(const std::vector<End>& before, const std::vector<End>& after, bool is_output,
                  std::vector<EndDifference>& out) {
  for (std::uint32_t i = 0; i < std::min(before.size(), after.size()); ++i)
    if (before[i].type != after[i].type || before[i].scales != after[i].scales ||
        before[i].zero_points != after[i].zero_points)
      out.push_back({is_output, i, before[i], after[i]});
}

BlobDifference compare_blobs(const ReadBlob& before, const ReadBlob& after) {
  BlobDifference out{after.model, before.header.layout == after.header.layout, before.header, after.header, 0, {}};
  if (out.same_layout) out.payload_changed = count_changed(before.payload, after.payload);
  out.constants = compare_constants(before, after);
  compare_ends(before.inputs, after.inputs, false, out.ends);
  compare_ends(before.outputs, after.outputs, true, out.ends);
  return out;
}

std::string_view name_of(What what) {
  switch (what) {
    case What::same: return "same";
    case What::changed: return "changed";
    case What::moved: return "moved";
    case What::added: return "added";
    case What::removed: return "removed";
  }
  return "";
}

Json header_json(const Header& h) {
  return {{"sequence", h.sequence},     {"signed", h.is_signed()},         {"bytes", h.blob_bytes},
          {"layout", to_hex(h.layout)}, {"model_sha256", to_hex(h.model)}, {"payload_sha256", to_hex(h.sha256)}};
}

std::string shortest(float number) {
  std::array<char, 32> text;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr};
}

// "i8, scale 0.5, zero point -3"
std::string quantisation_text(const End& end) {
  std::string out = end.type;
  for (std::size_t i = 0; i < end.scales.size(); ++i) out += (i == 0 ? ", scale " : " ") + shortest(end.scales[i]);
  for (std::size_t i = 0; i < end.zero_points.size(); ++i)
    out += (i == 0 ? ", zero point " : " ") + std::to_string(end.zero_points[i]);
  return out;
}

std::string end_text(const EndDifference& d) {
  return std::string("  ") + (d.is_output ? "output " : "input ") + std::to_string(d.index) + " '" + d.after.name +
         "': " + quantisation_text(d.before) + " -> " + quantisation_text(d.after) +
         ": programs that were compiled for the one " + (d.is_output ? "read" : "fill") + " the other wrongly\n";
}

Json end_json(const EndDifference& d) {
  const auto json = [](const End& e) {
    return Json{{"name", e.name}, {"type", e.type}, {"scales", e.scales}, {"zero_points", e.zero_points}};
  };
  return {{"role", d.is_output ? "output" : "input"},
          {"index", d.index},
          {"before", json(d.before)},
          {"after", json(d.after)}};
}

}  // namespace

Difference compare(const Weights& before, const Weights& after) {
  Difference out;
  std::vector<const ReadBlob*> left;
  for (const ReadBlob& b : before.blobs) left.push_back(&b);
  for (const ReadBlob& b : after.blobs) {
    auto found = std::ranges::find_if(left, [&](const ReadBlob* o) { return o->header.layout == b.header.layout; });
    if (found == left.end())
      found = std::ranges::find_if(left, [&](const ReadBlob* o) { return !b.model.empty() && o->model == b.model; });
    if (found == left.end()) {
      out.added.push_back(b.model);
      continue;
    }
    out.blobs.push_back(compare_blobs(**found, b));
    left.erase(found);
  }
  for (const ReadBlob* b : left) out.removed.push_back(b->model);
  return out;
}

std::string difference_text(const Difference& difference) {
  std::string out;
  for (const BlobDifference& b : difference.blobs) {
    out += b.model + ": " +
           (b.same_layout ? "the same layout: code that binds the one binds the other"
                          : "another layout: code of the one refuses the other") +
           "\n";
    if (b.before.model != b.after.model) out += "  made from another model file\n";
    if (b.before.sequence != b.after.sequence)
      out += "  sequence " + std::to_string(b.before.sequence) + " -> " + std::to_string(b.after.sequence) + "\n";
    for (const EndDifference& d : b.ends) out += end_text(d);
    if (b.before.is_signed() != b.after.is_signed())
      out += b.after.is_signed() ? "  is signed now\n" : "  is not signed any more\n";
    std::size_t same = 0;
    for (const ConstantDifference& c : b.constants) {
      same += c.what == What::same ? 1 : 0;
      if (c.what == What::same) continue;
      out +=
          "  " + c.symbol + " (" + c.type + ", " + std::to_string(c.bytes) + " bytes): " + std::string(name_of(c.what));
      if (c.what == What::changed) out += ", " + std::to_string(c.changed) + " bytes differ";
      out += "\n";
    }
    out += "  " + std::to_string(same) + " of " + std::to_string(b.constants.size()) + " constants are the same";
    out += b.same_layout ? ", " + std::to_string(b.payload_changed) + " of " + std::to_string(b.after.payload_bytes) +
                               " bytes differ\n"
                         : "\n";
  }
  for (const std::string& model : difference.added) out += model + ": only in the second file\n";
  for (const std::string& model : difference.removed) out += model + ": only in the first file\n";
  return out;
}

std::string difference_json(const Difference& difference) {
  Json blobs = Json::array();
  for (const BlobDifference& b : difference.blobs) {
    Json constants = Json::array();
    for (const ConstantDifference& c : b.constants)
      constants.push_back({{"symbol", c.symbol},
                           {"type", c.type},
                           {"bytes", c.bytes},
                           {"what", std::string(name_of(c.what))},
                           {"changed_bytes", c.changed}});
    Json ends = Json::array();
    for (const EndDifference& d : b.ends) ends.push_back(end_json(d));
    blobs.push_back({{"model", b.model},
                     {"ends", ends},
                     {"same_layout", b.same_layout},
                     {"before", header_json(b.before)},
                     {"after", header_json(b.after)},
                     {"changed_bytes", b.payload_changed},
                     {"constants", constants}});
  }
  const Json out = {{"format", 1}, {"blobs", blobs}, {"added", difference.added}, {"removed", difference.removed}};
  return json_text(out, 2) + "\n";
}

}  // namespace byoc::weights
