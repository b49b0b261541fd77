// The members of the structs of byoc/codegen.hpp, each struct once. The wire format (wire.cpp), what the checks write
// down (sdk/app/check/record.hpp) and what tests compare follow from these lists; a list that its struct has outgrown
// does not compile where it is used.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include "byoc/codegen.hpp"
#include "sdk/base/support/count_members.hpp"

namespace byoc::plugin {

template <class S, class T>
concept Is = std::same_as<std::remove_const_t<S>, T>;

// fields(s, visit) is visit(member...), with all members of `s` in their order.
template <Is<Quantisation> S, class V>
decltype(auto) fields(S& s, V&& visit) {
  return visit(s.scales, s.zero_points, s.axis);
}
template <Is<codegen::Value> S, class V>
decltype(auto) fields(S& s, V&& visit) {
  return visit(s.name, s.dtype, s.dims, s.quantisation, s.is_constant, s.data, s.is_state, s.source_index);
}
template <Is<codegen::Node> S, class V>
decltype(auto) fields(S& s, V&& visit) {
  return visit(s.name, s.domain, s.op, s.version, s.inputs, s.outputs, s.attributes, s.position);
}
template <Is<codegen::GrantedGroup> S, class V>
decltype(auto) fields(S& s, V&& visit) {
  return visit(s.pattern, s.nodes);
}
template <Is<codegen::TfliteForm::Content> S, class V>
decltype(auto) fields(S& s, V&& visit) {
  return visit(s.offset, s.size, s.value);
}
template <Is<codegen::TfliteForm> S, class V>
decltype(auto) fields(S& s, V&& visit) {
  return visit(s.bytes, s.contents, s.refusal);
}
template <Is<codegen::Region> S, class V>
decltype(auto) fields(S& s, V&& visit) {
  return visit(s.name, s.requant, s.values, s.nodes, s.inputs, s.outputs, s.groups, s.symbols, s.source);
}
template <Is<codegen::Verdict> S, class V>
decltype(auto) fields(S& s, V&& visit) {
  return visit(s.claimed, s.reason, s.text, s.exactness, s.tolerance, s.cost, s.priority);
}
template <Is<codegen::Group> S, class V>
decltype(auto) fields(S& s, V&& visit) {
  return visit(s.nodes, s.verdict, s.pattern);
}
template <Is<codegen::PatternNode> S, class V>
decltype(auto) fields(S& s, V&& visit) {
  return visit(s.domain, s.op, s.inputs, s.optional, s.commutative);
}
template <Is<codegen::Pattern> S, class V>
decltype(auto) fields(S& s, V&& visit) {
  return visit(s.name, s.nodes);
}
template <Is<codegen::Match> S, class V>
decltype(auto) fields(S& s, V&& visit) {
  return visit(s.pattern, s.nodes);
}
template <Is<codegen::ConstantDecl> S, class V>
decltype(auto) fields(S& s, V&& visit) {
  return visit(s.symbol, s.element, s.align, s.region, s.model_data);
}
template <Is<codegen::SourceDecl> S, class V>
decltype(auto) fields(S& s, V&& visit) {
  return visit(s.name, s.symbol, s.shared, s.standard, s.include_directories, s.effort, s.defines);
}
template <Is<codegen::ArtifactDecl> S, class V>
decltype(auto) fields(S& s, V&& visit) {
  return visit(s.kind, s.name, s.defines, s.symbol, s.shared, s.effort);
}
template <Is<codegen::Arrangement::Axis> S, class V>
decltype(auto) fields(S& s, V&& visit) {
  return visit(s.extent, s.stride);
}
template <Is<codegen::Arrangement::Loop> S, class V>
decltype(auto) fields(S& s, V&& visit) {
  return visit(s.count, s.axis, s.step);
}
template <Is<codegen::Arrangement> S, class V>
decltype(auto) fields(S& s, V&& visit) {
  return visit(s.element_size, s.offset, s.axes, s.loops);
}
template <Is<codegen::Operand> S, class V>
decltype(auto) fields(S& s, V&& visit) {
  return visit(s.value, s.private_value);
}
template <Is<codegen::Workspace> S, class V>
decltype(auto) fields(S& s, V&& visit) {
  return visit(s.bytes, s.align, s.pools);
}
template <Is<codegen::Overlay> S, class V>
decltype(auto) fields(S& s, V&& visit) {
  return visit(s.output, s.input, s.lead);
}
template <Is<codegen::Step> S, class V>
decltype(auto) fields(S& s, V&& visit) {
  return visit(s.symbol, s.inputs, s.outputs, s.workspaces, s.overlays, s.uses_instance, s.nodes, s.macs, s.kernel,
               s.instructions, s.kernel_bytes, s.remark, s.failure);
}
template <Is<codegen::PrivateValue> S, class V>
decltype(auto) fields(S& s, V&& visit) {
  return visit(s.bytes, s.align, s.pools, s.name);
}
template <Is<codegen::PrivateLayout> S, class V>
decltype(auto) fields(S& s, V&& visit) {
  return visit(s.private_value, s.base, s.strides);
}
template <Is<codegen::Instance> S, class V>
decltype(auto) fields(S& s, V&& visit) {
  return visit(s.bytes, s.align, s.init, s.reset, s.deinit, s.pools, s.device);
}

namespace detail {

struct CountListed {
  template <class... Members>
  std::integral_constant<std::size_t, sizeof...(Members)> operator()(Members&...) const;
};

}  // namespace detail

template <class T>
concept HasFields = requires(T& s) { fields(s, detail::CountListed()); };

// True if the list of T's members is complete.
template <class T>
inline constexpr bool lists_all_fields =
    count_members<T>() == decltype(fields(std::declval<T&>(), detail::CountListed()))::value;

}  // namespace byoc::plugin
