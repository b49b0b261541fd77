// A TFLite file: what says how it is built is copied, verified once and then read in place; data stays in the file.
#pragma once

#include <tflite_schema/schema_generated.h>
#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sdk/base/support/blob.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/model/ir/graph.hpp"

namespace byoc::tflite {

// Elements of a vector that may be missing.
template <class V>
[[nodiscard]] std::size_t length(const V* vector) {
  return vector == nullptr ? 0 : vector->size();
}

// "tensor 5 'name'".
[[nodiscard]] std::string describe_tensor(std::size_t index, std::string_view name);

// True if a tensor of these dims has fewer than 2^63 bits, and no dim is negative.
[[nodiscard]] inline bool is_countable(DType dtype, std::span<const ir::Dim> dims) {
  std::int64_t bits = bit_width(dtype);
  for (const ir::Dim d : dims)
    if (d < 0 || __builtin_mul_overflow(bits, std::max<ir::Dim>(d, 1), &bits)) return false;
  return true;
}

// True if the model leaves dim `d` of a tensor open.
[[nodiscard]] inline bool is_open(const schema::SubGraph& graph, std::size_t tensor, std::size_t d) {
  if (tensor >= length(graph.tensors())) return false;
  const auto* dims = graph.tensors()->Get(static_cast<flatbuffers::uoffset_t>(tensor))->shape_signature();
  return d < length(dims) && dims->Get(static_cast<flatbuffers::uoffset_t>(d)) == -1;
}

class Model {
 public:
  // Errors: cannot be opened, wrong file identifier, truncated or damaged, another schema version, no subgraph.
  static Result<Model> open(const std::string& path, Diagnostics&);

  [[nodiscard]] const schema::Model& root() const { return *root_; }
  // The subgraph that is imported: of an opened model the first; the others are what its operators name.
  [[nodiscard]] const schema::SubGraph& graph() const { return *root_->subgraphs()->Get(subgraph_); }
  [[nodiscard]] std::size_t subgraph_count() const { return length(root_->subgraphs()); }
  // This model, seen from another of its subgraphs.
  [[nodiscard]] Model at(std::size_t subgraph) const {
    Model other = *this;
    other.subgraph_ = static_cast<flatbuffers::uoffset_t>(subgraph);
    return other;
  }
  [[nodiscard]] std::size_t tensor_count() const { return length(graph().tensors()); }
  [[nodiscard]] std::string tensor_name(std::size_t index) const;
  [[nodiscard]] std::span<const std::byte> bytes() const { return file_->bytes(); }
  [[nodiscard]] std::uint64_t file_size() const { return bytes().size(); }
  [[nodiscard]] const std::string& path() const { return file_->path(); }
  [[nodiscard]] const FileStamp& stamp() const { return file_->stamp(); }

  // The offset of each tensor in one block of memory, as the model's compiler chose it (metadata
  // OfflineMemoryAllocation of TensorFlow Lite Micro); -1 where it leaves the offset open. Empty if there is no such
  // metadata, or it does not fit this subgraph.
  [[nodiscard]] std::vector<std::int64_t> offline_places() const;

  // The value of tensor `index`, mapped data included. `computed`: an operator or the caller gives it, so a tensor
  // without elements is no constant. Errors name the tensor: type, shape, quantisation, buffer, sparsity.
  [[nodiscard]] Result<ir::Value> read_tensor(std::size_t index, bool computed, Diagnostics&) const;

  // The elements of buffer `index`, which `tensor` names: none where nobody has stored any.
  [[nodiscard]] Result<Blob> buffer(std::size_t tensor, std::uint32_t index, Diagnostics&) const;

 private:
  std::shared_ptr<const MappedFile> file_;
  std::shared_ptr<const std::byte> structure_;  // the file as it was, without the data of large buffers
  const schema::Model* root_ = nullptr;
  flatbuffers::uoffset_t subgraph_ = 0;
};

}  // namespace byoc::tflite
