#include "sdk/import/onnx/onnx.hpp"

#include <google/protobuf/stubs/logging.h>
#include <onnx/onnx-ml.pb.h>

#include <filesystem>

#include "sdk/import/onnx/functions.hpp"
#include "sdk/import/onnx/importer.hpp"
#include "sdk/import/onnx/wire.hpp"

namespace byoc {

Result<ir::Graph> import_onnx(const std::string& path, Diagnostics& diags) {
  auto file = MappedFile::open(path, diags);
  if (!file) return failure;
  auto reduced = onnx_import::reduce_model((*file)->bytes(), path, diags);
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
  onnx_import::TensorReader tensors(*file, std::move(reduced->tensors), diags);
  if (!onnx_import::Importer(model, model.graph(), function_opsets, tensors, graph, diags).run()) return failure;
  graph.files = tensors.files();
  return graph;
}

}  // namespace byoc
