#include "sdk/app/check/random_graph/builder.hpp"
#include "sdk/model/shapes/infer_shapes.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "sdk/codegen/codegen/region.hpp"
#include "sdk/model/evaluate/element.hpp"
#include "sdk/model/ir/control.hpp"
#include "sdk/model/ir/packed_elements.hpp"
#include "sdk/model/ir/verify.hpp"
#include "sdk/model/prepare/prepare.hpp"

namespace byoc::check {
namespace {

constexpr std::int64_t kMostElements = 700;

std::int64_t count(const Dims& dims) {
  std::int64_t n = 1;
  for (const std::int64_t d : dims) n *= d;
  return n;
}

std::string full_name(const ir::Node& n) { return n.domain.empty() ? n.op : n.domain + "." + n.op; }

// Errors without the names of values and nodes, so that one kind of refusal is one text.
std::string reason(const Diagnostics& diags) {
  for (const Diagnostic& d : diags.all())
    if (d.level == Level::error) return d.message;
  return "no reason given";
}

}  // namespace

void GraphCoverage::add(const GraphCoverage& other) {
  for (const auto& [op, n] : other.used) used[op] += n;
  for (const auto& [op, reasons] : other.refused) refused[op].insert(reasons.begin(), reasons.end());
}

Builder::Builder(std::uint64_t seed, codegen::Codegen& codegen, const TargetSpec& target, GraphCoverage* coverage)
    : choice(seed), codegen_(codegen), target_(target), coverage_(coverage) {
  graph.name = "random";
  graph.requant = choice.one_in(2) ? Requant::tflite : Requant::onnx;
  has_odd_reals_ = choice.one_in(5);
}

Dims Builder::shape(std::size_t least_rank, std::size_t most_rank) {
  static const std::vector<std::int64_t> kLengths = {1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 11, 13, 16, 17};
  const auto rank = static_cast<std::size_t>(
      choice.integer(static_cast<std::int64_t>(least_rank),
                     static_cast<std::int64_t>(std::max(least_rank, std::min<std::size_t>(most_rank, 4)))));
  Dims out;
  for (std::size_t i = 0; i < rank; ++i) out.push_back(choice.of(kLengths));
  while (count(out) > kMostElements)
    out[static_cast<std::size_t>(choice.integer(0, static_cast<std::int64_t>(rank) - 1))] = 1;
  if (rank > 0 && choice.one_in(60))
    out[static_cast<std::size_t>(choice.integer(0, static_cast<std::int64_t>(rank) - 1))] = 0;
  return out;
}

DType Builder::quantised_dtype() {
  const std::int64_t n = choice.integer(0, 9);
  if (n < 6) return DType::i8;
  return graph.requant == Requant::tflite ? DType::i16 : n < 9 ? DType::u8 : DType::i16;
}

Quantisation Builder::per_tensor(DType dtype) {
  Quantisation q;
  q.scales = {choice.one_in(4) ? choice.real(0.0005f, 0.004f) : choice.real(0.004f, 0.2f)};
  const auto [low, high] = evaluate::integer_range(dtype);
  std::int64_t zero = choice.one_in(4) ? (choice.one_in(2) ? low : high) : choice.integer(low, high);
  if (dtype == DType::i16 || choice.one_in(3)) zero = dtype == DType::u8 ? 128 : 0;
  q.zero_points = {zero};
  return q;
}

std::vector<std::byte> Builder::elements(const ir::TensorType& type) {
  const std::size_t size = bit_width(type.dtype) / 8;
  const auto n = static_cast<std::size_t>(count(*type.dims));
  if (is_small(type.dtype)) {
    std::vector<unsigned> codes(n);
    for (unsigned& c : codes) c = static_cast<unsigned>(choice.bits() & ((1u << bit_width(type.dtype)) - 1));
    return ir::pack(codes, bit_width(type.dtype));
  }
  std::vector<std::byte> out(n * size);
  (void)evaluate::dispatch(type.dtype, [&]<class T>() {
    for (std::size_t i = 0; i < n; ++i) {
      T value{};
      if constexpr (std::is_same_v<T, bool>) {
        value = choice.one_in(2);
      } else if constexpr (std::is_integral_v<T>) {
        using Limits = std::numeric_limits<T>;
        // Whole range for what is quantised or narrow; small numbers where sums and products would overflow.
        if (sizeof(T) <= 2 || choice.one_in(40))
          value =
              choice.one_in(12) ? (choice.one_in(2) ? Limits::min() : Limits::max()) : static_cast<T>(choice.bits());
        else
          value = static_cast<T>(choice.integer(Limits::is_signed ? -40 : 0, 40));
      } else {
        static const std::vector<double> kOdd = {std::numeric_limits<double>::quiet_NaN(),
                                                 std::numeric_limits<double>::infinity(),
                                                 -std::numeric_limits<double>::infinity(), -0.0, 1e-40};
        if (has_odd_reals_ && choice.one_in(20))
          value = evaluate::narrow<T>(choice.of(kOdd));
        else
          value = evaluate::narrow<T>(choice.one_in(16) ? static_cast<double>(choice.integer(-3, 3))
                                                        : static_cast<double>(choice.real(-4, 4)));
      }
      std::memcpy(&out[i * sizeof(T)], &value, sizeof(T));
    }
  });
  return out;
}

ir::ValueId Builder::input(ir::TensorType type) {
  ir::Value v;
  v.name = "in" + std::to_string(graph.inputs.size());
  v.type = type;
  const ir::ValueId id = graph.add_value(std::move(v));
  graph.inputs.push_back(id);
  input_bytes_[id] = elements(type);
  return id;
}

ir::ValueId Builder::constant(ir::TensorType type) {
  std::vector<ir::ValueId> same;
  for (ir::ValueId v = 0; v < graph.values.size(); ++v)
    if (graph.is_constant(v) && graph.values[v].type == type) same.push_back(v);
  if (!same.empty() && choice.one_in(3)) {
    const ir::ValueId there = choice.of(same);
    if (choice.one_in(2)) return there;
    const auto bytes = graph.values[there].constant->bytes.bytes();
    return graph.add_constant("", type, Blob::own({bytes.begin(), bytes.end()}));
  }
  // Weights are numbers: whether an infinite one counts where it meets padding is left open.
  const bool odd = std::exchange(has_odd_reals_, false);
  std::vector<std::byte> bytes = elements(type);
  has_odd_reals_ = odd;
  return graph.add_constant("", type, Blob::own(std::move(bytes)));
}

ir::ValueId Builder::integers(const std::vector<std::int64_t>& list) {
  std::vector<std::byte> bytes(list.size() * 8);
  if (!list.empty()) std::memcpy(bytes.data(), list.data(), bytes.size());
  return graph.add_constant("", {DType::i64, Dims{static_cast<std::int64_t>(list.size())}, std::nullopt},
                            Blob::own(std::move(bytes)));
}

ir::ValueId Builder::scalar(float value) {
  std::vector<std::byte> bytes(4);
  std::memcpy(bytes.data(), &value, 4);
  return graph.add_constant("", {DType::f32, Dims{}, std::nullopt}, Blob::own(std::move(bytes)));
}

ir::ValueId Builder::reals(const Dims& of, float low, float high) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(count(of)) * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 4) {
    const float value = choice.real(low, high);
    std::memcpy(&bytes[i], &value, 4);
  }
  return graph.add_constant("", {DType::f32, of, std::nullopt}, Blob::own(std::move(bytes)));
}

ir::ValueId Builder::quantised_constant(DType dtype, const Dims& of, Quantisation q, std::int64_t low,
                                        std::int64_t high) {
  const std::size_t size = bit_width(dtype) / 8;
  std::vector<std::byte> bytes(static_cast<std::size_t>(count(of)) * size);
  for (std::size_t i = 0; i < bytes.size(); i += size) {
    const std::int64_t value = choice.one_in(10) ? (choice.one_in(2) ? low : high) : choice.integer(low, high);
    std::memcpy(&bytes[i], &value, size);
  }
  return graph.add_constant("", {dtype, of, std::move(q)}, Blob::own(std::move(bytes)));
}

ir::ValueId Builder::any(const std::function<bool(const ir::TensorType&)>& suits,
                         const std::function<ir::TensorType()>& make) {
  std::vector<ir::ValueId> found;
  for (ir::ValueId v = 0; v < graph.values.size(); ++v)
    if (graph.values[v].type.is_static() && !graph.is_constant(v) && suits(graph.values[v].type)) found.push_back(v);
  const bool enough_inputs = graph.inputs.size() >= 4;
  if (found.empty() || (!enough_inputs && choice.one_in(12))) return input(make());
  if (choice.one_in(2))
    return found[found.size() - 1 -
                 static_cast<std::size_t>(
                     choice.integer(0, static_cast<std::int64_t>(std::min<std::size_t>(found.size(), 3)) - 1))];
  return choice.of(found);
}

ir::ValueId Builder::any_of(DType wanted, std::size_t least_rank, std::size_t most_rank) {
  return any(
      [&](const ir::TensorType& t) {
        return t.dtype == wanted && !t.quantisation && t.dims->size() >= least_rank && t.dims->size() <= most_rank;
      },
      [&] { return ir::TensorType{wanted, shape(least_rank, most_rank), std::nullopt}; });
}

ir::ValueId Builder::any_quantised(std::size_t least_rank, std::size_t most_rank) {
  return any(
      [&](const ir::TensorType& t) {
        return t.quantisation && !t.quantisation->per_axis() && t.dims->size() >= least_rank &&
               t.dims->size() <= most_rank && bit_width(t.dtype) <= 16;
      },
      [&] {
        const DType d = quantised_dtype();
        return ir::TensorType{d, shape(least_rank, most_rank), per_tensor(d)};
      });
}

ir::ValueId Builder::any_value(std::size_t least_rank, std::size_t most_rank) {
  static const std::vector<DType> kOthers = {DType::i32, DType::i64, DType::boolean, DType::u8,
                                             DType::i8,  DType::f16, DType::f64,     DType::i16,
                                             DType::u16, DType::u32, DType::u64,     DType::bf16};
  const std::int64_t n = choice.integer(0, 9);
  if (n < 5) return any_real(least_rank, most_rank);
  if (n < 7) return any_quantised(least_rank, most_rank);
  return any_of(choice.of(kOthers), least_rank, most_rank);
}

ir::ValueId Builder::same_type(ir::TensorType type) {
  std::vector<ir::ValueId> found;
  for (ir::ValueId v = 0; v < graph.values.size(); ++v)
    if (graph.values[v].type == type) found.push_back(v);
  if (!found.empty() && !choice.one_in(5)) return choice.of(found);
  return graph.inputs.size() < 5 && choice.one_in(2) ? input(type) : constant(type);
}

ir::ValueId Builder::broadcastable(ir::ValueId v) {
  ir::TensorType type = graph.values[v].type;
  if (choice.one_in(2)) return same_type(type);
  Dims& d = *type.dims;
  for (std::int64_t& length : d)
    if (choice.one_in(2)) length = 1;
  while (!d.empty() && choice.one_in(3)) d.erase(d.begin());
  return same_type(type);
}

bool Builder::accept(const std::string& name) {
  Diagnostics diags;
  std::string why;
  if (!infer_shapes(graph, diags)) {
    why = "shapes: " + reason(diags);
  } else {
    for (const ir::ValueId v : graph.nodes.back().outputs) {
      if (v == ir::kNoValue) continue;
      const ir::TensorType& t = graph.values[v].type;
      if (!t.is_static()) why = "shapes: the type is not known";
      // Chains of expansions would grow without bound.
      else if (t.elements() > kMostElements * 4)
        return false;
    }
  }
  if (why.empty() && !ir::verify(graph, diags)) why = "verify: " + reason(diags);
  if (why.empty() && !ir::is_control(graph.nodes.back())) {
    const plugin::BoundRegion all = plugin::make_region(graph);
    const std::vector<codegen::Verdict> verdicts = codegen_.verdicts(all.region, target_);
    if (verdicts.size() != graph.nodes.size()) return false;
    const codegen::Verdict& verdict = verdicts.back();
    if (!verdict.claimed && verdict.reason != codegen::Reason::group)
      why = codegen_.id().data() + (": " + verdict.text);
  }
  if (why.empty()) return true;
  if (coverage_ != nullptr) coverage_->refused[name].insert(why);
  return false;
}

bool Builder::add(const std::string& op, std::vector<ir::ValueId> inputs, Attributes attributes,
                  std::vector<std::optional<ir::TensorType>> outputs, std::int64_t version) {
  ir::Node n;
  const std::size_t dot = op.rfind('.');
  n.domain = dot == std::string::npos ? "" : op.substr(0, dot);
  n.op = dot == std::string::npos ? op : op.substr(dot + 1);
  n.version = n.domain.empty() ? version : 1;
  n.inputs = std::move(inputs);
  n.attributes = std::move(attributes);
  n.position = static_cast<std::int64_t>(graph.nodes.size());
  const std::size_t values = graph.values.size();
  for (const auto& type : outputs) {
    ir::Value y;
    if (type) y.type = *type;
    n.outputs.push_back(graph.add_value(std::move(y)));
  }
  const std::string name = full_name(n);
  graph.add_node(std::move(n));
  if (accept(name)) {
    if (coverage_ != nullptr) ++coverage_->used[name];
    return true;
  }
  graph.nodes.pop_back();
  graph.values.resize(values);
  return false;
}

RandomGraph Builder::finish() && {
  std::vector<bool> is_read(graph.values.size(), false);
  for (const ir::Node& n : graph.nodes)
    for (const ir::ValueId v : n.inputs)
      if (v != ir::kNoValue) is_read[v] = true;
  std::vector<ir::ValueId> computed;
  for (const ir::Node& n : graph.nodes)
    for (const ir::ValueId v : n.outputs)
      if (v != ir::kNoValue) computed.push_back(v);
  // Most ends are outputs; the others stay as nodes that nobody needs. Some values are output and read on.
  for (const ir::ValueId v : computed)
    if (is_read[v] ? choice.one_in(7) : !choice.one_in(8)) graph.outputs.push_back(v);
  if (graph.outputs.empty() && !computed.empty()) graph.outputs.push_back(computed.back());
  if (!graph.outputs.empty() && choice.one_in(15)) graph.outputs.push_back(choice.of(graph.outputs));
  if (!graph.inputs.empty() && choice.one_in(15)) graph.outputs.push_back(choice.of(graph.inputs));
  if (choice.one_in(20))
    for (ir::ValueId v = 0; v < graph.values.size(); ++v)
      if (graph.is_constant(v) && bit_width(graph.values[v].type.dtype) >= 8) {
        graph.outputs.push_back(v);
        break;
      }
  for (std::size_t i = 0; i < graph.outputs.size(); ++i)
    if (std::string& name = graph.values[graph.outputs[i]].name; name.empty()) name = "out" + std::to_string(i);
  RandomGraph out;
  for (const ir::ValueId v : graph.inputs)
    out.inputs.push_back({graph.values[v].type, Blob::own(std::move(input_bytes_[v]))});
  out.graph = std::move(graph);
  return out;
}

std::vector<Generator> generators() {
  std::vector<Generator> out;
  add_elementwise(out);
  add_movement(out);
  add_layers(out);
  add_quantised(out);
  add_reductions(out);
  add_special(out);
  add_tflite(out);
  add_signal(out);
  add_control(out);
  add_chains(out);
  add_counted(out);
  return out;
}

std::set<std::string> generated_operators() {
  std::set<std::string> out;
  for (const Generator& g : generators())
    if (!g.op.empty()) out.insert(g.op);
  return out;
}

RandomGraph random_graph(std::uint64_t seed, codegen::Codegen& codegen, const TargetSpec& target,
                         GraphCoverage* coverage, const std::set<std::string>* only) {
  static const std::vector<Generator> all = generators();
  std::vector<Generator> table;
  std::int64_t total = 0;
  for (const Generator& g : all) {
    if (only != nullptr && !g.op.empty() && !only->contains(g.op)) continue;
    table.push_back(g);
    total += g.weight;
  }
  Builder builder(seed, codegen, target, coverage);
  const auto wanted = static_cast<std::size_t>(builder.choice.integer(2, 18));
  for (int tries = 0; builder.graph.nodes.size() < wanted && tries < 400; ++tries) {
    std::int64_t at = builder.choice.integer(0, total - 1);
    for (const Generator& g : table) {
      at -= g.weight;
      if (at >= 0) continue;
      g.add(builder, g.op);
      break;
    }
  }
  return std::move(builder).finish();
}

std::optional<RandomGraph> operator_graph(std::uint64_t seed, std::span<const std::string> operators,
                                          codegen::Codegen& codegen, const TargetSpec& target) {
  static const std::vector<Generator> all = generators();
  Builder builder(seed, codegen, target, nullptr);
  for (const std::string& op : operators) {
    // Real and quantised numbers have an entry each: by turns.
    std::vector<const Generator*> entries;
    for (const Generator& entry : all)
      if (entry.op == op) entries.push_back(&entry);
    if (entries.empty()) return std::nullopt;
    const std::size_t before = builder.graph.nodes.size();
    entries[seed % entries.size()]->add(builder, op);
    if (builder.graph.nodes.size() == before) return std::nullopt;
  }
  return std::move(builder).finish();
}

}  // namespace byoc::check
