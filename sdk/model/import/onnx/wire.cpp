#include "sdk/model/import/onnx/wire.hpp"

#include <algorithm>
#include <string_view>

namespace byoc::onnx_import {
namespace {

enum class Message {
  model,
  graph,
  node,
  attribute,
  tensor,
  sparse_tensor,
  function,
  value_info,
  type,
  sequence_type,
  map_type,
  optional_type
};

enum class Action { keep, drop, descend };

struct Rule {
  std::uint32_t field;
  Action action;
  Message message = Message::model;  // descend only
};

// The actions on the fields of a message; a field that is not listed is kept as it is.
std::span<const Rule> rules_of(Message m) {
  static constexpr Rule kModel[] = {{6, Action::drop},                     // doc_string
                                    {7, Action::descend, Message::graph},  //
                                    {14, Action::drop},                    // metadata_props
                                    {20, Action::drop},                    // training_info
                                    {25, Action::descend, Message::function}};
  static constexpr Rule kGraph[] = {{1, Action::descend, Message::node},
                                    {5, Action::descend, Message::tensor},  // initializer
                                    {10, Action::drop},                     // doc_string
                                    {11, Action::descend, Message::value_info},
                                    {12, Action::descend, Message::value_info},
                                    {13, Action::descend, Message::value_info},
                                    {14, Action::drop},  // quantization_annotation
                                    {15, Action::descend, Message::sparse_tensor},
                                    {16, Action::drop}};  // metadata_props
  static constexpr Rule kNode[] = {{5, Action::descend, Message::attribute},
                                   {6, Action::drop},                            // doc_string
                                   {9, Action::drop}};                           // metadata_props
  static constexpr Rule kAttribute[] = {{5, Action::descend, Message::tensor},   // t
                                        {6, Action::descend, Message::graph},    // g
                                        {10, Action::descend, Message::tensor},  // tensors
                                        {11, Action::descend, Message::graph},   // graphs
                                        {13, Action::drop},                      // doc_string
                                        {14, Action::descend, Message::type},
                                        {15, Action::descend, Message::type},
                                        {22, Action::descend, Message::sparse_tensor},
                                        {23, Action::descend, Message::sparse_tensor}};
  static constexpr Rule kTensor[] = {{4, Action::drop},    // float_data
                                     {5, Action::drop},    // int32_data
                                     {6, Action::drop},    // string_data
                                     {7, Action::drop},    // int64_data
                                     {9, Action::drop},    // raw_data
                                     {10, Action::drop},   // double_data
                                     {11, Action::drop},   // uint64_data
                                     {12, Action::drop}};  // doc_string: its place is taken by the index
  static constexpr Rule kSparse[] = {{1, Action::descend, Message::tensor}, {2, Action::descend, Message::tensor}};
  static constexpr Rule kFunction[] = {{7, Action::descend, Message::node},
                                       {8, Action::drop},  // doc_string
                                       {11, Action::descend, Message::attribute},
                                       {12, Action::descend, Message::value_info}};
  static constexpr Rule kValueInfo[] = {{2, Action::descend, Message::type}, {3, Action::drop}};  // doc_string
  static constexpr Rule kType[] = {{4, Action::descend, Message::sequence_type},
                                   {5, Action::descend, Message::map_type},
                                   {9, Action::descend, Message::optional_type}};
  static constexpr Rule kElementType[] = {{1, Action::descend, Message::type}};
  static constexpr Rule kMapType[] = {{2, Action::descend, Message::type}};
  switch (m) {
    case Message::model: return kModel;
    case Message::graph: return kGraph;
    case Message::node: return kNode;
    case Message::attribute: return kAttribute;
    case Message::tensor: return kTensor;
    case Message::sparse_tensor: return kSparse;
    case Message::function: return kFunction;
    case Message::value_info: return kValueInfo;
    case Message::type: return kType;
    case Message::sequence_type:
    case Message::optional_type: return kElementType;
    case Message::map_type: return kMapType;
  }
  return {};
}

constexpr std::uint32_t kTensorDocString = 12;
// Protobuf itself refuses messages nested deeper than 100.
constexpr int kDeepest = 64;

void put_varint(std::string& out, std::uint64_t v) {
  for (; v >= 0x80; v >>= 7) out += static_cast<char>((v & 0x7f) | 0x80);
  out += static_cast<char>(v);
}

void put_bytes(std::string& out, std::uint32_t field, std::string_view content) {
  put_varint(out, (std::uint64_t{field} << 3) | static_cast<std::uint64_t>(WireType::bytes));
  put_varint(out, content.size());
  out += content;
}

class Reducer {
 public:
  Reducer(std::vector<std::span<const std::byte>>& tensors) : tensors_(tensors) {}

  // False when the bytes are damaged, or nested too deeply: then too_deep() says where.
  bool reduce(Message kind, std::span<const std::byte> message, int depth, std::string& out) {
    if (depth > kDeepest) {
      too_deep_ = message.data();
      return false;
    }
    const std::span<const Rule> rules = rules_of(kind);
    WireReader reader(message);
    while (const auto field = reader.next()) {
      const auto rule =
          std::find_if(rules.begin(), rules.end(), [&](const Rule& r) { return r.field == field->number; });
      const Action action = rule == rules.end() ? Action::keep : rule->action;
      if (action == Action::drop) continue;
      // A wrong wire type is for protobuf to judge: it treats the field as one it does not know.
      if (action == Action::keep || field->type != WireType::bytes) {
        out.append(reinterpret_cast<const char*>(field->whole.data()), field->whole.size());
        continue;
      }
      std::string nested;
      if (!reduce(rule->message, field->payload, depth + 1, nested)) return false;
      put_bytes(out, field->number, nested);
    }
    if (reader.bad()) return false;
    if (kind == Message::tensor) {
      put_bytes(out, kTensorDocString, std::to_string(tensors_.size()));
      tensors_.push_back(message);
    }
    return true;
  }

  [[nodiscard]] const std::byte* too_deep() const { return too_deep_; }

 private:
  std::vector<std::span<const std::byte>>& tensors_;
  const std::byte* too_deep_ = nullptr;
};

}  // namespace

std::optional<std::uint64_t> WireReader::varint(std::span<const std::byte>& bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size() && i < 10; ++i) {
    const auto b = std::to_integer<std::uint64_t>(bytes[i]);
    value |= (b & 0x7f) << (7 * i);
    if ((b & 0x80) == 0) {
      bytes = bytes.subspan(i + 1);
      return value;
    }
  }
  return std::nullopt;
}

std::optional<WireField> WireReader::next() {
  if (rest_.empty() || bad_) return std::nullopt;
  const std::span<const std::byte> start = rest_;
  bad_ = true;  // until the field is known to be whole
  const auto tag = varint(rest_);
  if (!tag || (*tag >> 3) == 0 || (*tag >> 3) > 0x1fffffff) return std::nullopt;
  WireField field;
  field.number = static_cast<std::uint32_t>(*tag >> 3);
  field.type = static_cast<WireType>(*tag & 7);
  std::uint64_t length = 0;
  const std::span<const std::byte> before = rest_;
  switch (field.type) {
    case WireType::varint: {
      const auto value = varint(rest_);
      if (!value) return std::nullopt;
      field.value = *value;
      field.payload = before.first(before.size() - rest_.size());
      break;
    }
    case WireType::bytes: {
      const auto n = varint(rest_);
      if (!n) return std::nullopt;
      length = *n;
      break;
    }
    case WireType::fixed64: length = 8; break;
    case WireType::fixed32: length = 4; break;
    default: return std::nullopt;  // groups, which ONNX has never had
  }
  if (field.type != WireType::varint) {
    if (length > rest_.size()) return std::nullopt;
    field.payload = rest_.first(length);
    rest_ = rest_.subspan(length);
  }
  field.whole = start.first(start.size() - rest_.size());
  bad_ = false;
  return field;
}

Result<ReducedModel> reduce_model(std::span<const std::byte> model, const std::string& file, Diagnostics& diags) {
  ReducedModel reduced;
  Reducer reducer(reduced.tensors);
  if (reducer.reduce(Message::model, model, 0, reduced.message)) return reduced;
  if (const std::byte* at = reducer.too_deep())
    return diags.error(file, "byte " + std::to_string(at - model.data()), "messages are nested too deeply", {},
                       "at most " + std::to_string(kDeepest) + " deep");
  return diags.error(
      file, {}, "is not an ONNX model, or a truncated one: a field is damaged or runs past the end of its message");
}

}  // namespace byoc::onnx_import
