// The differences between two files of weights, and a delta that makes the second from the first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/library/weights/read.hpp"

namespace byoc::weights {

struct ConstantDifference {
  std::string symbol;
  std::string type;
  std::uint64_t bytes = 0;
  std::uint64_t changed = 0;                                                   // bytes
  enum class What { same, changed, moved, added, removed } what = What::same;  // moved: another place or size
};

// An input or output whose quantisation is another one, for programs that quantise for the model.
struct EndDifference {
  bool is_output = false;
  std::uint32_t index = 0;
  End before, after;
};

// Two blobs of one model.
struct BlobDifference {
  std::string model;
  bool same_layout = true;  // code that binds one binds the other
  Header before, after;
  std::uint64_t payload_changed = 0;  // bytes, where the layout is the same
  std::vector<ConstantDifference> constants;
  std::vector<EndDifference> ends = {};
};

struct Difference {
  std::vector<BlobDifference> blobs;
  std::vector<std::string> added, removed;  // models that only one of the files has
};

// Blobs belong together by their layout, then by the model's name.
[[nodiscard]] Difference compare(const Weights& before, const Weights& after);
[[nodiscard]] std::string difference_text(const Difference& difference);
[[nodiscard]] std::string difference_json(const Difference& difference);

// docs/formats.md, "Delta of weights". Error: a file of 4 GiB or more.
[[nodiscard]] Result<std::vector<std::byte>> make_delta(std::span<const std::byte> before,
                                                        std::span<const std::byte> after, const std::string& name,
                                                        Diagnostics&);
// Errors: no delta, a damaged one, one for another file than `before`.
[[nodiscard]] Result<std::vector<std::byte>> apply_delta(std::span<const std::byte> before,
                                                         std::span<const std::byte> delta, const std::string& name,
                                                         Diagnostics&);

}  // namespace byoc::weights
