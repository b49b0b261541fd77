#include "sdk/check/agreement.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <sstream>

#include "sdk/evaluate/element.hpp"

namespace byoc::check {
namespace {

using codegen::Exactness;
using evaluate::Tensor;

// How many representable numbers of type T lie from a to b: bits of floats are in order once the sign is taken off.
template <class T>
double ulps(T a, T b) {
  using Bits =
      std::conditional_t<sizeof(T) == 8, std::int64_t, std::conditional_t<sizeof(T) == 4, std::int32_t, std::int16_t>>;
  const auto order = [](T x) {
    Bits bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits < 0 ? -static_cast<double>(bits & std::numeric_limits<Bits>::max()) : static_cast<double>(bits);
  };
  return std::fabs(order(a) - order(b));
}

template <class T>
bool close(T a, T b, Closeness c) {
  const double x = evaluate::widen(a), y = evaluate::widen(b);
  if constexpr (std::is_integral_v<T>) {
    if (a == b) return true;
    return c.exactness == Exactness::lsb && std::fabs(x - y) <= c.tolerance;
  } else {
    if (x == y || (std::isnan(x) && std::isnan(y))) return true;
    if (!std::isfinite(y) || !std::isfinite(x)) return c.exactness != Exactness::exact && !std::isfinite(y);
    if (c.exactness == Exactness::ulp) return ulps(a, b) <= c.tolerance;
    return c.exactness == Exactness::relative && std::fabs(x - y) <= c.tolerance * std::max(1.0, std::fabs(y));
  }
}

std::string name_of(Closeness c) {
  std::ostringstream out;
  switch (c.exactness) {
    case Exactness::exact: return "exactly";
    case Exactness::lsb: out << "within " << c.tolerance << " LSB"; break;
    case Exactness::ulp: out << "within " << c.tolerance << " ULP"; break;
    case Exactness::relative: out << "within " << c.tolerance << " of it"; break;
  }
  return out.str();
}

// The looser of two.
Closeness looser(Closeness a, Closeness b) {
  if (a.exactness == b.exactness) return {a.exactness, std::max(a.tolerance, b.tolerance)};
  return a.exactness > b.exactness ? a : b;
}

}  // namespace

std::string disagreement(const Tensor& found, const Tensor& expected, Closeness c) {
  std::string out;
  const std::span<const std::byte> f = found.bytes.bytes(), e = expected.bytes.bytes();
  if (f.size() != e.size()) return std::to_string(f.size()) + " bytes, expected " + std::to_string(e.size());
  if (bit_width(expected.type.dtype) < 8) {
    for (std::size_t i = 0; i < f.size(); ++i)
      if (f[i] != e[i]) return "byte " + std::to_string(i) + " differs";
    return "";
  }
  (void)evaluate::dispatch(expected.type.dtype, [&]<class T>() {
    for (std::size_t i = 0; i + sizeof(T) <= f.size() && out.empty(); i += sizeof(T)) {
      T a, b;
      if constexpr (std::is_same_v<T, bool>) {
        a = f[i] != std::byte{0};
        b = e[i] != std::byte{0};
        if (f[i] == e[i]) continue;
      } else {
        std::memcpy(&a, &f[i], sizeof(T));
        std::memcpy(&b, &e[i], sizeof(T));
        if (close(a, b, c)) continue;
      }
      std::ostringstream text;
      text.precision(9);
      text << "element " << i / sizeof(T) << " is " << evaluate::widen(a) << ", expected " << evaluate::widen(b) << " "
           << name_of(c);
      out = text.str();
    }
  });
  return out;
}

std::string compare(const ir::Graph& graph, std::span<const Tensor> inputs, const std::map<ir::ValueId, Tensor>& found,
                    std::span<const Closeness> closeness) {
  std::vector<std::optional<Tensor>> known(graph.values.size());
  std::vector<Closeness> pending(graph.values.size());  // what values that were not found may be off by already
  for (std::size_t i = 0; i < graph.inputs.size(); ++i)
    known[graph.inputs[i]] = Tensor{graph.values[graph.inputs[i]].type, inputs[i].bytes};
  for (ir::ValueId v = 0; v < graph.values.size(); ++v)
    if (graph.values[v].constant) known[v] = Tensor{graph.values[v].type, graph.values[v].constant->bytes};
  for (ir::NodeId n = 0; n < graph.nodes.size(); ++n) {
    const ir::Node& node = graph.nodes[n];
    std::vector<const Tensor*> operands;
    Closeness allowed = closeness[n];
    for (const ir::ValueId v : node.inputs) {
      operands.push_back(v == ir::kNoValue ? nullptr : &*known[v]);
      if (v != ir::kNoValue) allowed = looser(allowed, pending[v]);
    }
    Diagnostics diags;
    auto results = evaluate::evaluate_node(graph, node, operands, diags);
    if (!results) return "";  // the evaluator has no answer either
    for (std::size_t o = 0; o < node.outputs.size(); ++o) {
      const ir::ValueId v = node.outputs[o];
      if (v == ir::kNoValue) continue;
      const auto at = found.find(v);
      if (at == found.end()) {
        known[v] = std::move((*results)[o]);
        pending[v] = allowed;
        continue;
      }
      if (std::string text = disagreement(at->second, (*results)[o], allowed); !text.empty())
        return node.describe() + " output " + std::to_string(o) + ": " + text;
      known[v] = Tensor{graph.values[v].type, at->second.bytes};
    }
  }
  return "";
}

}  // namespace byoc::check
