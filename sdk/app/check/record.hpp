// Structs of byoc/codegen.hpp as text, member by member (sdk/codegen/codegen/fields.hpp): equal if and only if they
// are.
#pragma once

#include <string>

#include "sdk/codegen/codegen/fields.hpp"

namespace byoc::check {

[[nodiscard]] inline std::string record_of(const std::string& text) { return std::to_string(text.size()) + ":" + text; }
template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
[[nodiscard]] std::string record_of(T value) {
  if constexpr (std::is_enum_v<T>)
    return std::to_string(static_cast<std::underlying_type_t<T>>(value));
  else
    return std::to_string(value);
}
[[nodiscard]] inline std::string record_of(std::span<const std::byte> bytes);
[[nodiscard]] inline std::string record_of(const std::shared_ptr<const codegen::ModelSource>& source) {
  return source == nullptr ? "0" : "1";
}
[[nodiscard]] inline std::string record_of(const codegen::Attribute& a);
[[nodiscard]] inline std::string record_of(const decltype(codegen::Node::attributes)& attributes);
template <class T>
[[nodiscard]] std::string record_of(const std::vector<T>& list);
template <plugin::HasFields T>
[[nodiscard]] std::string record_of(const T& value) {
  static_assert(plugin::lists_all_fields<T>);
  std::string out = "{";
  using plugin::fields;
  fields(value, [&](const auto&... members) { ((out += record_of(members) + " "), ...); });
  return out + "}";
}
[[nodiscard]] inline std::string record_of(std::span<const std::byte> bytes) {
  return record_of(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}
[[nodiscard]] inline std::string record_of(const codegen::Attribute& a) {
  return std::to_string(a.index()) + " " + std::visit([](const auto& value) { return record_of(value); }, a);
}
[[nodiscard]] inline std::string record_of(const decltype(codegen::Node::attributes)& attributes) {
  std::string out = "[";
  for (const auto& [name, value] : attributes) out += record_of(name) + " " + record_of(value) + " ";
  return out + "]";
}
template <class T>
std::string record_of(const std::vector<T>& list) {
  std::string out = "[";
  for (const T& item : list) out += record_of(item) + " ";
  return out + "]";
}

}  // namespace byoc::check
