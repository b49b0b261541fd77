#include "sdk/model/import/onnx/onnx.hpp"

#include <google/protobuf/stubs/logging.h>
#include <onnx/onnx-ml.pb.h>

#include <filesystem>

#include "sdk/model/import/onnx/functions.hpp"
#include "sdk/model/import/onnx/importer.hpp"
#include "sdk/model/import/onnx/model_text.hpp"
#include "sdk/model/import/onnx/wire.hpp"

namespace byoc {

Result<ir::Graph> import_onnx(const std::string& path, Diagnostics& diags) {
  auto file = MappedFile::open(path, diags);
  if (!file) return failure;
  const std::span<const std::byte> bytes = (*file)->bytes();
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::shared_ptr<const std::vector<std::byte>> of_text;
  if (onnx_import::is_model_text(text, path)) {
    auto read = onnx_import::read_model_text(text, path, diags);
    if (!read) return failure;
    of_text = std::make_shared<const std::vector<std::byte>>(std::move(*read));
  }
  auto reduced = onnx_import::reduce_model(of_text ? std::span(*of_text) : bytes, path, diags);
  if (!reduced) return failure;
  ::onnx::ModelProto model;
  {
    google::protobuf::LogSilencer silence;  // what is wrong is told through diags
    if (!model.ParseFromString(reduced->message))
      return diags.error(path, {}, "is not an ONNX model, or a damaged one");
  }
  reduced->message = {};
  onnx_import::FunctionOpsets function_opsets;
  if (!onnx_import::inline_functions(model, path, function_opsets, diags)) return failure;
  ir::Graph graph;
  graph.file = path;
  graph.name = std::filesystem::path(path).stem().string();
  graph.requant = Requant::onnx;
  graph.stated_shapes_may_err = true;
  onnx_import::TensorReader tensors(*file, of_text, std::move(reduced->tensors), diags);
  if (!onnx_import::Importer(model, model.graph(), function_opsets, tensors, graph, diags).run()) return failure;
  graph.files = tensors.files();
  return graph;
}

}  // namespace byoc
