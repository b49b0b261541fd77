// The layers of a region with their tensors, before anything is emitted: which layout each has, and where reorders
// stand.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "layer.hpp"

namespace onednn {

inline constexpr std::uint64_t kAlign = 64;  // of everything that oneDNN reads or writes
inline constexpr std::size_t kNoTensor = static_cast<std::size_t>(-1);

// Storage of a value: row-major, or of images N, C, rows, columns with the channels last, which oneDNN's layers are
// fastest on. Values at the region's border are row-major.
struct Tensor {
  ValueId value = kNoValue;
  bool channels_last = false;
  std::int32_t place = ONEDNN_WORKSPACE;  // ONEDNN_INPUT ...
  std::size_t at = 0;                     // index into Region::inputs or outputs
  std::uint64_t offset = 0;               // in the workspace that pack() plans
  std::uint64_t bytes = 0;
};

// A constant of the model's, or bytes made here.
struct Constant {
  ValueId value = kNoValue;
  std::vector<std::byte> bytes = {};
  View view = {};
};

struct Operation {
  Layer layer;
  std::size_t input = 0, second = kNoTensor, output = 0;  // indexes into Network::tensors
  View input_view, output_view;                           // a second input is seen as the output is
  std::vector<Constant> constants;  // weights, bias; of a normalisation mean, variance, scale, shift
  float epsilon = 0;
  std::uint64_t weights_bytes = 0;  // that weights may take in a layout of oneDNN's own
};

struct Network {
  std::vector<Tensor> tensors;
  std::vector<Operation> operations;  // in an order in which they can run
};

[[nodiscard]] Network make_network(const Region& region);

// Places the tensors inside a workspace, those that are never alive together over each other; returns its bytes.
[[nodiscard]] std::uint64_t pack(Network& network);

}  // namespace onednn
