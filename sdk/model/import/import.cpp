#include "sdk/model/import/import.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "sdk/base/support/file_kind.hpp"
#include "sdk/model/import/foreign_model.hpp"
#include "sdk/model/import/onnx/model_text.hpp"
#include "sdk/model/import/onnx/onnx.hpp"
#include "sdk/model/import/tflite/tflite.hpp"
#include "sdk/model/ir/text.hpp"
#include "sdk/model/ir/verify.hpp"

namespace byoc {
namespace {

bool is_tflite(std::string_view bytes) {
  // FlatBuffers put the file identifier at offset 4.
  return bytes.size() >= 8 && bytes.substr(4, 3) == "TFL";
}

bool is_graph_text(std::string_view bytes) {
  const std::size_t start = bytes.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return false;
  return bytes.substr(start, 5) == "graph" || bytes.substr(start, 2) == "//";
}

bool ends_with(const std::string& path, std::string_view suffix) {
  return path.size() >= suffix.size() && path.compare(path.size() - suffix.size(), suffix.size(), suffix) == 0;
}

Failure refuse_foreign(const std::string& path, const ForeignModel& model, Diagnostics& diags) {
  return diags.error(path, {}, "is " + std::string(model.name) + ", and byoc reads ONNX and TFLite", {},
                     std::string(model.way));
}

Result<ir::Graph> import_any(const std::string& path, const std::string& signature,
                             std::map<std::string, std::int64_t>* lengths, Diagnostics& diags) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    if (const auto foreign = foreign_model(path, {})) return refuse_foreign(path, *foreign, diags);
  auto file = MappedFile::open(path, diags);
  if (!file) return failure;
  const auto raw = (*file)->bytes();
  const std::string_view bytes(reinterpret_cast<const char*>(raw.data()), raw.size());
  if (bytes.empty()) return diags.error(path, {}, "is not a model", "an empty file", "ONNX, TFLite or graph text");
  if (is_tflite(bytes)) return import_tflite(path, diags, signature, lengths);
  if (ends_with(path, ".tflite"))
    return diags.error(path, {}, "is not a TFLite model: wrong file identifier",
                       bytes.size() < 8 ? "a file of " + std::to_string(bytes.size()) + " bytes" : "other bytes",
                       "TFL3 at offset 4");
  if (!signature.empty())
    return diags.error(path, "--signature", "only TFLite models have signatures", "'" + signature + "'",
                       "no --signature");
  if (onnx_import::is_model_text(bytes, path)) return import_onnx(path, diags);
  if (is_graph_text(bytes)) {
    // A copy of its own, for the parser goes back and forth in it.
    const std::string text(bytes);
    auto graph = ir::parse(text, path, diags);
    if (graph) graph->files = {(*file)->stamp()};
    return graph;
  }
  if (const auto foreign = foreign_model(path, bytes)) return refuse_foreign(path, *foreign, diags);
  // ONNX models have no mark: what has one of something else is that.
  const FileKind kind = kind_of_start(raw);
  if (kind != FileKind::other)
    return diags.error(path, {}, "is not a model", found_kind(kind), "ONNX, TFLite or graph text");
  return import_onnx(path, diags);
}

}  // namespace

Result<ir::Graph> import_model(const std::string& path, Diagnostics& diags, const std::string& signature,
                               std::map<std::string, std::int64_t>* lengths) {
  auto graph = import_any(path, signature, lengths, diags);
  if (!graph || !ir::verify(*graph, diags)) return failure;
  return graph;
}

}  // namespace byoc
