// Structs with another value in every member, so that one that gets lost or takes the place of another is noticed.
#pragma once

#include <array>

#include "sdk/codegen/codegen/fields.hpp"

namespace byoc::plugin {

class Filler {
 public:
  template <class T>
  void operator()(T& member) {
    if constexpr (std::same_as<T, bool> || std::is_enum_v<T>)
      member = static_cast<T>(1);
    else if constexpr (std::is_arithmetic_v<T>)
      member = static_cast<T>(++count_);
    else if constexpr (std::same_as<T, std::string>)
      member = "t" + std::to_string(++count_);
    else
      fields(member, [&](auto&... members) { ((*this)(members), ...); });
  }
  template <class T>
  void operator()(std::vector<T>& list) {
    list.resize(2);
    for (T& item : list) (*this)(item);
  }
  void operator()(std::span<const std::byte>& bytes) {
    static const std::array<std::byte, 16> kBytes{std::byte{9}};
    bytes = std::span(kBytes).first(static_cast<std::size_t>(++count_ % 8 + 1));
  }
  void operator()(std::shared_ptr<const codegen::ModelSource>&) {}  // has tests of its own
  void operator()(decltype(codegen::Node::attributes)& attributes) {
    attributes = {{"integer", std::int64_t{++count_}},
                  {"real", static_cast<float>(++count_)},
                  {"text", std::to_string(++count_)},
                  {"integers", std::vector<std::int64_t>{++count_, -1}},
                  {"reals", std::vector<float>{static_cast<float>(++count_)}},
                  {"texts", std::vector<std::string>{std::to_string(++count_), ""}}};
  }

 private:
  int count_ = 0;
};

template <class T>
T filled() {
  T out;
  Filler()(out);
  return out;
}

// What the rules of the ABI want of some members is theirs.
inline codegen::SourceDecl filled_source() {
  auto out = filled<codegen::SourceDecl>();
  out.standard = "c11";
  out.defines.clear();  // part of the text when it crosses
  return out;
}
inline codegen::ArtifactDecl filled_artifact() {
  auto out = filled<codegen::ArtifactDecl>();
  out.kind = codegen::ArtifactKind::llvm_bitcode;
  return out;
}
// A private value's name is in the place of a graph value's.
inline codegen::Step filled_step() {
  auto out = filled<codegen::Step>();
  out.inputs[0].private_value = out.outputs[1].private_value = 0;
  out.inputs[1].value = out.outputs[0].value = codegen::kNoValue;
  return out;
}
inline codegen::Pattern filled_pattern() {
  auto out = filled<codegen::Pattern>();
  out.nodes[0].inputs = {codegen::PatternNode::kAny, codegen::PatternNode::kConstant};
  out.nodes[1].inputs = {0, codegen::PatternNode::kAbsent};
  return out;
}

}  // namespace byoc::plugin
