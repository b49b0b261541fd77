#include "tests/support/counted_outputs.hpp"

#include "sdk/simulate/actual_outputs.hpp"
#include "tests/support/tensors.hpp"

namespace byoc::test {

std::string without_room(const ir::Graph& graph, std::vector<evaluate::Tensor>& outputs) {
  if (graph.counted.empty()) return "";
  ModelInterface model;
  std::vector<std::vector<std::byte>> buffers;
  for (const evaluate::Tensor& t : outputs) {
    IoTensor& output = model.outputs.emplace_back();
    output.dtype = t.type.dtype;
    output.dims = *t.type.dims;
    output.bytes = t.bytes.size();
    buffers.emplace_back(t.bytes.bytes().begin(), t.bytes.bytes().end());
  }
  for (const ir::CountedDim& c : graph.counted) model.outputs[c.output].counted.push_back({c.dim, c.count});
  Diagnostics diags;
  auto actual = actual_outputs(model, std::move(buffers), diags);
  if (!actual) return error_text(diags);
  outputs.resize(actual->size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    outputs[i].type.dims = (*actual)[i].dims;
    outputs[i].bytes = Blob::own(std::move((*actual)[i].bytes));
  }
  return "";
}

}  // namespace byoc::test
