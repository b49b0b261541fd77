#include "sdk/model/import/foreign_model.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>

namespace byoc {
namespace {

using namespace std::string_view_literals;

constexpr auto kFromKeras =
    "a .tflite of tf.lite.TFLiteConverter.from_keras_model(model).convert(), with keras.models.load_model(FILE)"sv;
constexpr auto kFromTorch =
    "an .onnx of torch.onnx.export(model, example_inputs, FILE, dynamo=True), where the model is loaded"sv;
constexpr auto kFromSavedModel =
    "a .tflite of tf.lite.TFLiteConverter.from_saved_model(FOLDER).convert(), or python -m tf2onnx.convert "
    "--saved-model FOLDER --output model.onnx"sv;
constexpr auto kFromSource = "the ONNX or TFLite model that it was made from"sv;

constexpr std::size_t kDirectory = 1 << 16;  // at the end of an archive, where its names are

// True if the archive has a file of this name, as far as its last bytes tell.
bool has_entry(std::string_view zip, std::string_view name) {
  if (!zip.starts_with("PK\x03\x04")) return false;
  return zip.substr(zip.size() - std::min(zip.size(), kDirectory)).find(name) != std::string_view::npos;
}

// A header of JSON behind its length.
bool is_safetensors(std::string_view b) {
  if (b.size() < 10 || b[8] != '{') return false;
  std::uint64_t size = 0;
  for (int i = 7; i >= 0; --i) size = size << 8 | static_cast<unsigned char>(b[static_cast<std::size_t>(i)]);
  return size >= 2 && size <= b.size() - 8;
}

bool is_executorch(std::string_view b) { return b.size() >= 8 && b.substr(4, 2) == "ET" && b[6] >= '0' && b[6] <= '9'; }

bool is_pickle(std::string_view b) { return b.size() > 2 && b[0] == '\x80' && b[1] >= 2 && b[1] <= 5; }

bool starts_as_xml(std::string_view b, std::string_view tag) {
  return b.starts_with("<?xml") && b.substr(0, 400).find(tag) != std::string_view::npos;
}

struct Format {
  bool (*is_one)(std::string_view bytes);  // null: its bytes do not tell
  std::string_view suffix;                 // of files that it is told by where the bytes do not tell; "": none
  ForeignModel model;
};

constexpr Format kFormats[] = {
    {[](std::string_view b) { return has_entry(b, "model.weights.h5"); }, ".keras", {"a Keras model", kFromKeras}},
    {[](std::string_view b) { return b.starts_with("\x89HDF\r\n\x1a\n"sv); },
     ".h5",
     {"an HDF5 file, as Keras writes models", kFromKeras}},
    {[](std::string_view b) { return has_entry(b, "/data.pkl") || is_pickle(b); },
     ".pt",
     {"a PyTorch file", kFromTorch}},
    {is_pickle, ".pth", {"a PyTorch file", kFromTorch}},
    {is_executorch, ".pte", {"an ExecuTorch program", kFromTorch}},
    {is_safetensors, ".safetensors", {"a file of weights (safetensors)", kFromTorch}},
    {[](std::string_view b) { return b.starts_with("GGUF"); }, ".gguf", {"a file of weights (GGUF)", kFromSource}},
    {[](std::string_view b) { return b.starts_with("ftrt") || b.starts_with("ptrt"); },
     ".engine",
     {"a TensorRT engine, which is for one GPU", kFromSource}},
    {[](std::string_view b) { return starts_as_xml(b, "<net "); }, "", {"an OpenVINO model", kFromSource}},
    {[](std::string_view b) { return b.starts_with("{") && b.substr(0, 4096).find("\"modelTopology\"") != b.npos; },
     "",
     {"a TensorFlow.js model", kFromSavedModel}},
    {nullptr, ".pb", {"a TensorFlow graph", kFromSavedModel}},
    {nullptr, ".mlmodel", {"a Core ML model", kFromSource}},
};

std::optional<ForeignModel> foreign_folder(const std::string& path) {
  const auto has = [&](const char* name) {
    std::error_code ignored;
    return std::filesystem::exists(path + "/" + name, ignored);
  };
  if (has("saved_model.pb")) return ForeignModel{"a SavedModel of TensorFlow", kFromSavedModel};
  if (has("Manifest.json") && path.find(".mlpackage") != std::string::npos)
    return ForeignModel{"a Core ML package", kFromSource};
  return std::nullopt;
}

}  // namespace

std::optional<ForeignModel> foreign_model(const std::string& path, std::string_view bytes) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return foreign_folder(path);
  for (const Format& f : kFormats)
    if (f.is_one != nullptr && f.is_one(bytes)) return f.model;
  const std::filesystem::path file = path;
  const std::string suffix = file.extension().string();
  // An ONNX model, which may have any name, starts with its IR version; so does a SavedModel, with its schema's.
  if (bytes.starts_with('\x08') && file.filename() != "saved_model.pb") return std::nullopt;
  const auto* by_name = std::find_if(std::begin(kFormats), std::end(kFormats),
                                     [&](const Format& f) { return !f.suffix.empty() && f.suffix == suffix; });
  return by_name == std::end(kFormats) ? std::nullopt : std::optional(by_name->model);
}

}  // namespace byoc
