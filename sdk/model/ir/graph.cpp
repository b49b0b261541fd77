#include "sdk/model/ir/graph.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace byoc::ir {

bool TensorType::is_static() const { return is_shaped() && dtype != DType::string; }

bool TensorType::is_shaped() const {
  return is_tensor() && dtype != DType::undefined && dims && std::none_of(dims->begin(), dims->end(), is_open);
}

std::int64_t TensorType::elements() const {
  assert(is_static());
  std::int64_t n = 1;
  for (Dim d : *dims) n *= d;
  return n;
}

std::uint64_t TensorType::bytes() const { return (static_cast<std::uint64_t>(elements()) * bit_width(dtype) + 7) / 8; }

std::string_view container_prefix(Container c) {
  constexpr std::string_view kPrefixes[] = {"", "seq(", "optional(", "optional(seq("};
  return kPrefixes[static_cast<std::size_t>(c)];
}

std::string_view container_suffix(Container c) {
  constexpr std::string_view kSuffixes[] = {"", ")", ")", "))"};
  return kSuffixes[static_cast<std::size_t>(c)];
}

std::string to_string(const TensorType& type, const Graph& graph) {
  if (!type.is_tensor()) {
    TensorType element = type;
    element.container = Container::tensor;
    return std::string(container_prefix(type.container))
        .append(to_string(element, graph))
        .append(container_suffix(type.container));
  }
  std::string out(byoc::to_string(type.dtype));
  if (!type.dims) return out + "?";
  out += '[';
  constexpr std::size_t kMost = 32;  // of a message; real tensors have fewer
  for (std::size_t i = 0; i < type.dims->size(); ++i) {
    if (i != 0) out += ',';
    if (i == kMost) return out + "... " + std::to_string(type.dims->size()) + " dims]";
    const Dim d = (*type.dims)[i];
    const auto symbol = static_cast<std::size_t>(-1 - d);
    out += !is_open(d) ? std::to_string(d) : symbol < graph.symbols.size() ? graph.symbols[symbol] : "?";
  }
  return out + ']';
}

const Identity& Constant::identity() const {
  if (!identity_) identity_ = identify(bytes.bytes());
  return *identity_;
}

std::int64_t Node::integer(std::string_view key, std::int64_t otherwise) const {
  const auto* p = find<std::int64_t>(key);
  return p ? *p : otherwise;
}

float Node::real(std::string_view key, float otherwise) const {
  const auto* p = find<float>(key);
  return p ? *p : otherwise;
}

std::string Node::text(std::string_view key, std::string_view otherwise) const {
  const auto* p = find<std::string>(key);
  return p ? *p : std::string(otherwise);
}

std::vector<std::int64_t> Node::integers(std::string_view key, std::vector<std::int64_t> otherwise) const {
  const auto* p = find<std::vector<std::int64_t>>(key);
  return p ? *p : std::move(otherwise);
}

std::string Node::describe() const {
  std::string out = part_of.empty() ? full_name() : part_of,
              where = position >= 0 ? "#" + std::to_string(position) : "";
  if (!name.empty()) out += " '" + name + "'";
  // An operator that is only called otherwise here, and a check of operands, have no part to tell.
  const bool tells = !part_of.empty() && !part_of.ends_with(op) && !is("byoc", "Expect");
  if (tells) where += (where.empty() ? "its " : ", its ") + full_name();
  return where.empty() ? out : out + " (" + where + ")";
}

std::string Node::full_name() const { return domain.empty() ? op : domain + "." + op; }

void Node::stand_for(const Node& other) {
  name = other.name;
  position = other.position;
  part_of = other.part_of;
}

ValueId Graph::add_value(Value v) {
  values.push_back(std::move(v));
  return static_cast<ValueId>(values.size() - 1);
}

ValueId Graph::add_constant(std::string value_name, TensorType type, Blob bytes) {
  Value v;
  v.name = std::move(value_name);
  v.type = std::move(type);
  v.constant.emplace();
  v.constant->bytes = std::move(bytes);
  return add_value(std::move(v));
}

Node& Graph::add_node(Node n) {
  nodes.push_back(std::move(n));
  return nodes.back();
}

std::vector<std::byte> initial_bytes(const Graph& graph, const State& state) {
  const TensorType& type = graph.values[state.value].type;
  if (state.initial.size() != 0) return {state.initial.bytes().begin(), state.initial.bytes().end()};
  std::vector<std::byte> out(type.bytes(), std::byte{0});
  if (!type.quantisation || type.quantisation->per_axis() || type.quantisation->zero_points[0] == 0) return out;
  const auto zero = static_cast<std::uint64_t>(type.quantisation->zero_points[0]);
  const std::size_t width = bit_width(type.dtype) / 8;
  if (width == 0) {  // several to a byte
    const unsigned bits = bit_width(type.dtype);
    unsigned pattern = 0;
    for (unsigned at = 0; at < 8; at += bits) pattern |= static_cast<unsigned>(zero & ((1u << bits) - 1)) << at;
    std::fill(out.begin(), out.end(), static_cast<std::byte>(pattern));
    return out;
  }
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::byte>(zero >> 8 * (i % width) & 255u);
  return out;
}

std::vector<std::shared_ptr<Graph>> bodies(const Node& node) {
  std::vector<std::shared_ptr<Graph>> out;
  for (const auto& [key, attribute] : node.attributes)
    if (const auto* body = std::get_if<std::shared_ptr<Graph>>(&attribute); body != nullptr && *body)
      out.push_back(*body);
  return out;
}

bool leaves(const Graph& graph, ValueId v) {
  return std::find(graph.outputs.begin(), graph.outputs.end(), v) != graph.outputs.end() ||
         std::any_of(graph.states.begin(), graph.states.end(), [&](const State& s) { return s.next == v; });
}

std::optional<std::vector<std::int64_t>> constant_integers(const Graph& graph, ValueId v) {
  if (!graph.is_constant(v)) return std::nullopt;
  const auto bytes = graph.values[v].constant->bytes.bytes();
  if (graph.values[v].type.dtype == DType::i64) {
    std::vector<std::int64_t> out(bytes.size() / sizeof(std::int64_t));
    if (!out.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
    return out;
  }
  if (graph.values[v].type.dtype != DType::i32) return std::nullopt;
  std::vector<std::int32_t> narrow(bytes.size() / sizeof(std::int32_t));
  if (!narrow.empty()) std::memcpy(narrow.data(), bytes.data(), bytes.size());
  return std::vector<std::int64_t>(narrow.begin(), narrow.end());
}

std::vector<NodeId> producers(const Graph& graph) {
  std::vector<NodeId> out(graph.values.size(), kNoNode);
  for (NodeId n = 0; n < graph.nodes.size(); ++n)
    for (ValueId v : graph.nodes[n].outputs)
      if (v != kNoValue) out[v] = n;
  return out;
}

std::vector<std::vector<NodeId>> consumers(const Graph& graph) {
  std::vector<std::vector<NodeId>> out(graph.values.size());
  for (NodeId n = 0; n < graph.nodes.size(); ++n)
    for (ValueId v : graph.nodes[n].inputs)
      if (v != kNoValue && (out[v].empty() || out[v].back() != n)) out[v].push_back(n);
  return out;
}

}  // namespace byoc::ir
