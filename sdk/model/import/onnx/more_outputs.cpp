#include "sdk/model/import/onnx/more_outputs.hpp"

#include <string_view>

#include "sdk/model/import/onnx/wire.hpp"

namespace byoc::onnx_import {
namespace {

// Field numbers of onnx.proto.
constexpr std::uint32_t kModelGraph = 7, kGraphNode = 1, kGraphOutput = 12, kNodeOutput = 2, kValueName = 1;

std::string_view text_of(const WireField& field) {
  return {reinterpret_cast<const char*>(field.payload.data()), field.payload.size()};
}

std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(0x80 | (value & 0x7f));
  return out + static_cast<char>(value);
}

std::string message(std::uint32_t number, const std::string& content) {
  return varint((number << 3) | static_cast<std::uint32_t>(WireType::bytes)) + varint(content.size()) + content;
}

// Adds the texts of the fields called `inner` in the fields called `outer`.
void add_inner_texts(std::span<const std::byte> graph, std::uint32_t outer, std::uint32_t inner,
                     std::set<std::string>& to) {
  WireReader fields(graph);
  while (const auto field = fields.next()) {
    if (field->number != outer || field->type != WireType::bytes) continue;
    WireReader parts(field->payload);
    while (const auto part = parts.next())
      if (part->number == inner && part->type == WireType::bytes) to.emplace(text_of(*part));
  }
}

}  // namespace

std::string with_more_outputs(std::span<const std::byte> model, const std::set<std::string>& names) {
  std::set<std::string> computed, outputs;
  WireReader fields(model);
  while (const auto field = fields.next()) {
    if (field->number != kModelGraph || field->type != WireType::bytes) continue;
    add_inner_texts(field->payload, kGraphNode, kNodeOutput, computed);
    add_inner_texts(field->payload, kGraphOutput, kValueName, outputs);
  }
  std::string more;
  for (const std::string& name : names)
    if (!name.empty() && computed.contains(name) && !outputs.contains(name))
      more += message(kGraphOutput, message(kValueName, name));
  if (more.empty()) return {};
  // A field that follows again is merged with the one before: the graph gets the outputs behind its own.
  return std::string(reinterpret_cast<const char*>(model.data()), model.size()) + message(kModelGraph, more);
}

}  // namespace byoc::onnx_import
