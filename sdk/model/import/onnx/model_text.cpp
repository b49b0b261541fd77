#include "sdk/model/import/onnx/model_text.hpp"

#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>
#include <onnx/onnx-ml.pb.h>

#include <algorithm>
#include <array>
#include <limits>

namespace byoc::onnx_import {
namespace {

namespace pb = google::protobuf;

// A field that came after the headers that this is built with, by the message's name; a repeated message of that type,
// or one string. onnx.proto of 1.23.
struct NewerField {
  const char* message;
  const char* name;
  int number;
  const char* type;  // of its elements; null: an optional string
};
constexpr NewerField kNewerFields[] = {
    {"NodeProto", "overload", 8, nullptr},
    {"NodeProto", "metadata_props", 9, "StringStringEntryProto"},
    {"ValueInfoProto", "metadata_props", 4, "StringStringEntryProto"},
    {"GraphProto", "metadata_props", 16, "StringStringEntryProto"},
    {"TensorProto", "metadata_props", 16, "StringStringEntryProto"},
    {"FunctionProto", "attribute_proto", 11, "AttributeProto"},
    {"FunctionProto", "value_info", 12, "ValueInfoProto"},
    {"FunctionProto", "overload", 13, nullptr},
    {"FunctionProto", "metadata_props", 14, "StringStringEntryProto"},
};

void add_field(pb::DescriptorProto& message, const NewerField& newer, const std::string& package) {
  for (const auto& known : message.field())
    if (known.number() == newer.number) return;
  auto* field = message.add_field();
  field->set_name(newer.name);
  field->set_number(newer.number);
  field->set_label(newer.type != nullptr ? pb::FieldDescriptorProto::LABEL_REPEATED
                                         : pb::FieldDescriptorProto::LABEL_OPTIONAL);
  field->set_type(newer.type != nullptr ? pb::FieldDescriptorProto::TYPE_MESSAGE
                                        : pb::FieldDescriptorProto::TYPE_STRING);
  if (newer.type != nullptr) field->set_type_name("." + package + "." + newer.type);
}

// ONNX's own description, with what is newer added: its text has names, where its bytes have numbers.
pb::FileDescriptorProto described() {
  pb::FileDescriptorProto out;
  ::onnx::ModelProto::descriptor()->file()->CopyTo(&out);
  for (auto& message : *out.mutable_message_type())
    for (const NewerField& newer : kNewerFields)
      if (message.name() == newer.message) add_field(message, newer, out.package());
  return out;
}

class Listener final : public pb::io::ErrorCollector {
 public:
  Listener(const std::string& path, Diagnostics& diags) : path_(path), diags_(diags) {}
  void AddError(int line, int column, const std::string& message) override {
    if (++errors_ > kMost) return;
    const std::string where =
        line < 0 ? "" : "line " + std::to_string(line + 1) + ", column " + std::to_string(column + 1);
    diags_.error(path_, where, "is not the text of an ONNX model: " + message);
  }
  void AddWarning(int, int, const std::string&) override {}

 private:
  static constexpr std::size_t kMost = 10;
  const std::string& path_;
  Diagnostics& diags_;
  std::size_t errors_ = 0;
};

std::size_t first_letter(std::string_view text) {
  for (std::size_t at = 0;;) {
    at = text.find_first_not_of(" \t\r\n", at);
    if (at == std::string_view::npos || text[at] != '#') return at;
    at = text.find('\n', at);
    if (at == std::string_view::npos) return at;
  }
}

}  // namespace

bool is_model_text(std::string_view bytes, const std::string& path) {
  constexpr std::array<std::string_view, 6> kSuffixes = {".textproto", ".txtpb",   ".pbtxt",
                                                         ".prototxt",  ".onnxtxt", ".onnxtext"};
  if (std::any_of(kSuffixes.begin(), kSuffixes.end(), [&](std::string_view s) { return path.ends_with(s); }))
    return true;
  const std::size_t first = first_letter(bytes);
  return first != std::string_view::npos && bytes.substr(first).starts_with("ir_version");
}

Result<std::vector<std::byte>> read_model_text(std::string_view text, const std::string& path, Diagnostics& diags) {
  if (const std::size_t first = first_letter(text); first != std::string_view::npos && text[first] == '<')
    return diags.error(path, {}, "is in ONNX's own syntax, which is not read", "'<'",
                       "protobuf's text format (onnx.save(model, 'model.textproto')), or a .onnx file");
  if (text.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    return diags.error(path, {}, "is too large for a model in text", std::to_string(text.size()) + " bytes",
                       "less than 2 GiB; a .onnx file may have more");
  pb::DescriptorPool pool;
  const pb::FileDescriptor* file = pool.BuildFile(described());
  const std::string name = ::onnx::ModelProto::descriptor()->full_name();
  const pb::Descriptor* type = file == nullptr ? nullptr : pool.FindMessageTypeByName(name);
  if (type == nullptr) return diags.error(path, {}, "the installed ONNX library does not describe its format");
  pb::DynamicMessageFactory factory(&pool);
  const std::unique_ptr<pb::Message> model(factory.GetPrototype(type)->New());
  pb::TextFormat::Parser parser;
  Listener listener(path, diags);
  parser.RecordErrorsTo(&listener);
  parser.SetRecursionLimit(100);
  pb::io::ArrayInputStream in(text.data(), static_cast<int>(text.size()));
  if (!parser.Parse(&in, model.get())) return failure;
  std::vector<std::byte> out(model->ByteSizeLong());
  if (out.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()) ||
      !model->SerializeToArray(out.data(), static_cast<int>(out.size())))
    return diags.error(path, {}, "is too large for a model in text", std::to_string(out.size()) + " bytes",
                       "less than 2 GiB");
  return out;
}

}  // namespace byoc::onnx_import
