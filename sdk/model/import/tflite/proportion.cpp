#include "sdk/model/import/tflite/proportion.hpp"

namespace byoc::tflite {

bool is_in_proportion(const Model& model, Diagnostics& diags) {
  std::uint64_t elements = 0;
  const schema::SubGraph& graph = model.graph();
  for (std::size_t i = 0; i < length(graph.operators()); ++i) {
    const auto& op = *graph.operators()->Get(static_cast<flatbuffers::uoffset_t>(i));
    elements += length(op.inputs()) + length(op.outputs());
  }
  for (std::size_t i = 0; i < model.tensor_count(); ++i) {
    const auto& tensor = *graph.tensors()->Get(static_cast<flatbuffers::uoffset_t>(i));
    elements += length(tensor.name()) + length(tensor.shape());
    if (tensor.quantization() != nullptr) elements += length(tensor.quantization()->scale());
  }
  if (elements <= 4 * model.file_size() + 4096) return true;
  diags.error(model.path(), {}, "is damaged: its tensors and operators share oversized vectors",
              std::to_string(elements) + " elements", "fewer than the file has bytes");
  return false;
}

}  // namespace byoc::tflite
