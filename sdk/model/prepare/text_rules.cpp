#include "sdk/model/prepare/text_rules.hpp"

#include <algorithm>
#include <cstring>

#include "sdk/model/ir/onnx_types.hpp"
#include "sdk/model/ir/operators.hpp"
#include "sdk/model/ir/texts.hpp"
#include "sdk/model/prepare/text_match.hpp"

namespace byoc {
namespace {

using ir::ValueId;
using Dims = std::vector<ir::Dim>;

ValueId u8_constant(ir::Graph& graph, Dims dims, std::vector<std::byte> bytes) {
  return graph.add_constant({}, {DType::u8, std::move(dims)}, Blob::own(std::move(bytes)));
}

Cells cells_of(ir::Graph& graph, Dims dims, const std::vector<std::string>& texts) {
  std::size_t longest = 0;
  for (const std::string& t : texts) longest = std::max(longest, t.size());
  std::vector<std::byte> bytes(texts.size() * (longest + 1));
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (!texts[i].empty()) std::memcpy(bytes.data() + i * (longest + 1), texts[i].data(), texts[i].size());
  const auto size = static_cast<std::int64_t>(longest) + 1;
  dims.push_back(size);
  return {u8_constant(graph, std::move(dims), std::move(bytes)), size};
}

class Rules {
 public:
  Rules(ir::Graph& graph, const ir::Node& node, TextCells& cells)
      : graph_(graph), node_(node), cells_(cells), write_(graph, graph.nodes, node) {}

  bool run() {
    struct Rule {
      std::string_view op;
      bool (Rules::*apply)();
    };
    static constexpr Rule kRules[] = {{"Compress", &Rules::compress},
                                      {"Concat", &Rules::concat},
                                      {"Equal", &Rules::equal},
                                      {"Expand", &Rules::expand},
                                      {"Flatten", &Rules::reshape},
                                      {"Gather", &Rules::gather},
                                      {"GatherElements", &Rules::elements},
                                      {"GatherND", &Rules::moved},
                                      {"Identity", &Rules::identity},
                                      {"LabelEncoder", &Rules::label_encoder},
                                      {"RegexFullMatch", &Rules::match},
                                      {"Reshape", &Rules::reshape},
                                      {"Slice", &Rules::slice},
                                      {"Split", &Rules::split},
                                      {"Squeeze", &Rules::reshape},
                                      {"StringConcat", &Rules::join},
                                      {"StringNormalizer", &Rules::normalise},
                                      {"StringSplit", &Rules::pieces},
                                      {"TfIdfVectorizer", &Rules::tfidf},
                                      {"Tile", &Rules::tile},
                                      {"Transpose", &Rules::transpose},
                                      {"Unsqueeze", &Rules::reshape},
                                      {"Where", &Rules::where}};
    for (const Rule& rule : kRules)
      if (rule.op == node_.op) return (this->*rule.apply)();
    return false;
  }

 private:
  [[nodiscard]] const ir::TensorType& type(std::size_t input) const { return graph_.values[node_.inputs[input]].type; }
  [[nodiscard]] const ir::TensorType& result() const { return graph_.values[node_.outputs[0]].type; }

  void note(ValueId value, std::int64_t size, std::size_t output = 0) {
    cells_.set(node_.outputs[output], {value, size});
  }

  // The axis counted from the start, of input 0.
  std::int64_t axis(std::int64_t otherwise) const {
    const std::int64_t a = node_.integer("axis", otherwise);
    return a < 0 ? a + std::ssize(*type(0).dims) : a;
  }

  ValueId cast(ValueId v, DType to) { return write_.op("Cast", {v}, {{"to", ir::onnx_number(to)}}); }
  // Along the last dim, which goes.
  ValueId reduce(std::string_view op, ValueId v) {
    return write_.op(op, {v, write_.integers({-1})}, {{"keepdims", std::int64_t{0}}});
  }
  ValueId longer(ValueId dims, std::int64_t last) {
    return write_.op("Concat", {dims, write_.integers({last})}, {{"axis", std::int64_t{0}}});
  }
  ValueId shape(const ir::TensorType& type, std::int64_t last) {
    Dims dims = *type.dims;
    dims.push_back(last);
    return write_.integers(dims);
  }

  // The strings with zeros appended, up to `size`.
  ValueId widened(const Cells& cells, const ir::TensorType& type, std::int64_t size) {
    if (cells.size == size) return cells.value;
    Dims dims = *type.dims;
    dims.push_back(size - cells.size);
    return write_.op("Concat", {cells.value, write_.zeros({DType::u8, dims})},
                     {{"axis", static_cast<std::int64_t>(dims.size()) - 1}});
  }

  // All operands that are strings, in one size; empty if one is not known.
  std::vector<ValueId> alike(const std::vector<std::size_t>& inputs, std::int64_t& size) {
    std::vector<Cells> all;
    size = 1;
    for (const std::size_t i : inputs) {
      const auto cells = cells_.find(node_.inputs[i]);
      if (!cells || !type(i).is_shaped()) return {};
      all.push_back(*cells);
      size = std::max(size, cells->size);
    }
    std::vector<ValueId> out;
    for (std::size_t k = 0; k < inputs.size(); ++k) out.push_back(widened(all[k], type(inputs[k]), size));
    return out;
  }

  bool identity() {
    const auto x = cells_.find(node_.inputs[0]);
    if (x) note(x->value, x->size);
    return x.has_value();
  }

  // Applies the operator to bytes, with `inputs` after the first; the results keep their last dim.
  bool moved_with(std::vector<ValueId> inputs, NodeWriter::Attributes attributes) {
    const auto x = cells_.find(node_.inputs[0]);
    if (!x) return false;
    inputs.insert(inputs.begin(), x->value);
    std::vector<ValueId> outputs;
    for (std::size_t i = 0; i < node_.outputs.size(); ++i) {
      outputs.push_back(node_.outputs[i] == ir::kNoValue ? ir::kNoValue : graph_.add_value({}));
      if (outputs.back() != ir::kNoValue) note(outputs.back(), x->size, i);
    }
    write_.give(std::move(outputs), node_.op, std::move(inputs), std::move(attributes));
    return true;
  }
  std::vector<ValueId> further() const { return {node_.inputs.begin() + 1, node_.inputs.end()}; }

  bool moved() { return moved_with(further(), node_.attributes); }

  bool with_axis(std::int64_t otherwise) {
    if (!type(0).is_shaped()) return false;
    NodeWriter::Attributes attributes = node_.attributes;
    attributes["axis"] = axis(otherwise);
    return moved_with(further(), std::move(attributes));
  }
  bool gather() { return with_axis(0); }
  bool split() { return with_axis(0); }
  bool compress() { return node_.find<std::int64_t>("axis") != nullptr && with_axis(0); }

  bool reshape() {
    const auto x = cells_.find(node_.inputs[0]);
    if (!x || !result().is_shaped()) return false;
    note(write_.op("Reshape", {x->value, shape(result(), x->size)}, {{"allowzero", std::int64_t{1}}}), x->size);
    return true;
  }

  bool expand() {
    const auto x = cells_.find(node_.inputs[0]);
    if (!x || !result().is_shaped()) return false;
    note(write_.op("Expand", {x->value, shape(result(), x->size)}), x->size);
    return true;
  }

  bool tile() {
    const auto x = cells_.find(node_.inputs[0]);
    if (!x) return false;
    note(write_.op("Tile", {x->value, longer(node_.inputs[1], 1)}), x->size);
    return true;
  }

  bool transpose() {
    if (!type(0).is_shaped()) return false;
    const std::int64_t rank = std::ssize(*type(0).dims);
    std::vector<std::int64_t> perm = node_.integers("perm", {});
    for (std::int64_t d = rank; perm.empty() && d-- > 0;) perm.push_back(d);
    if (std::ssize(perm) != rank) {
      perm.clear();
      for (std::int64_t d = rank; d-- > 0;) perm.push_back(d);
    }
    perm.push_back(rank);
    return moved_with({}, {{"perm", perm}});
  }

  bool slice() {
    std::vector<ValueId> inputs = further();
    if (node_.input(3) != ir::kNoValue) {
      auto axes = ir::constant_integers(graph_, node_.input(3));
      if (!axes || !type(0).is_shaped()) return false;
      for (std::int64_t& a : *axes) a += a < 0 ? std::ssize(*type(0).dims) : 0;
      inputs[2] = write_.integers(*axes);
    }
    return moved_with(std::move(inputs), {});
  }

  bool elements() {
    const auto x = cells_.find(node_.inputs[0]);
    if (!x || !type(0).is_shaped() || !type(1).is_shaped()) return false;
    const ValueId rows = write_.op("Unsqueeze", {node_.inputs[1], write_.integers({-1})});
    return moved_with({write_.op("Expand", {rows, shape(type(1), x->size)})}, {{"axis", axis(0)}});
  }

  bool concat() {
    std::vector<std::size_t> all(node_.inputs.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    std::int64_t size = 0;
    const auto cells = alike(all, size);
    if (cells.empty()) return false;
    note(write_.op("Concat", cells, {{"axis", axis(0)}}), size);
    return true;
  }

  bool where() {
    std::int64_t size = 0;
    const auto cells = alike({1, 2}, size);
    if (cells.empty()) return false;
    const ValueId condition = write_.op("Unsqueeze", {node_.inputs[0], write_.integers({-1})});
    note(write_.op("Where", {condition, cells[0], cells[1]}), size);
    return true;
  }

  // Equality of all bytes, as i32.
  ValueId same(ValueId a, ValueId b) { return reduce("ReduceMin", cast(write_.op("Equal", {a, b}), DType::i32)); }

  bool equal() {
    std::int64_t size = 0;
    const auto cells = alike({0, 1}, size);
    if (cells.empty()) return false;
    write_.give(node_.outputs, "Cast", {same(cells[0], cells[1])}, {{"to", ir::onnx_number(DType::boolean)}});
    return true;
  }

  bool match() {
    const auto x = cells_.find(node_.inputs[0]);
    if (!x || !type(0).is_shaped()) return false;
    const Dims dims = *type(0).dims;
    const ValueId found = match_cells(write_, graph_, node_, x->value, dims, node_.text("pattern", ""));
    if (found == ir::kNoValue) return false;
    write_.give(node_.outputs, "Identity", {found});
    return true;
  }

  // For each string, the index of the last equal key, as i64; the number of keys if there is none.
  ValueId find_among(const Cells& x, ir::TensorType x_type, const std::vector<std::string>& keys) {
    const Cells all = cells_of(graph_, {std::ssize(keys)}, keys);
    const std::int64_t size = std::max(x.size, all.size);
    const ValueId rows = write_.op("Unsqueeze", {widened(x, x_type, size), write_.integers({-2})});
    return last_of(same(rows, widened(all, {DType::u8, Dims{std::ssize(keys)}}, size)), std::ssize(keys));
  }

  // The last of `count` places along the last dim that is not 0.
  ValueId last_of(ValueId matches, std::int64_t count) {
    const ValueId at =
        write_.op("ArgMax", {matches},
                  {{"axis", std::int64_t{-1}}, {"keepdims", std::int64_t{0}}, {"select_last_index", std::int64_t{1}}});
    return write_.op("Where", {cast(reduce("ReduceMax", matches), DType::boolean), at, write_.integer(count)});
  }

  std::optional<std::vector<std::string>> constant_texts(ValueId v) const {
    if (!graph_.is_constant(v) || graph_.values[v].type.dtype != DType::string) return std::nullopt;
    std::uint64_t count = 1;
    for (const ir::Dim d : *graph_.values[v].type.dims) count *= static_cast<std::uint64_t>(d);
    return ir::unpack_texts(graph_.values[v].constant->bytes.bytes(), count);
  }

  // As find_among(), for numbers; NaN is one key.
  ValueId find_number(ValueId x, ValueId keys, std::int64_t count) {
    const ValueId rows = write_.op("Unsqueeze", {x, write_.integers({-1})});
    ValueId equal = write_.op("Equal", {rows, keys});
    if (element_row(graph_.values[keys].type.dtype).kind == ElementKind::real)
      equal = write_.op("Or", {equal, write_.op("And", {write_.op("IsNaN", {rows}), write_.op("IsNaN", {keys})})});
    return last_of(cast(equal, DType::i32), count);
  }

  bool label_encoder() {
    const ir::TensorType keys = type(1), values = type(2);
    if (!graph_.is_constant(node_.inputs[1]) || !keys.is_shaped() || keys.dims->size() != 1 || !values.is_shaped() ||
        (*keys.dims)[0] == 0 || !type(0).is_shaped())
      return false;
    const std::int64_t count = (*keys.dims)[0];
    ValueId at = ir::kNoValue;
    if (keys.dtype == DType::string) {
      const auto x = cells_.find(node_.inputs[0]);
      const auto texts = constant_texts(node_.inputs[1]);
      if (!x || !texts) return false;
      at = find_among(*x, type(0), *texts);
    } else {
      at = find_number(node_.inputs[0], node_.inputs[1], count);
    }
    const NodeWriter::Attributes first{{"axis", std::int64_t{0}}};
    if (values.dtype != DType::string) {
      const ValueId one = write_.op("Reshape", {node_.inputs[3], write_.integers({1})});
      const ValueId all = write_.op("Concat", {node_.inputs[2], one}, first);
      write_.give(node_.outputs, "Gather", {all, at}, first);
      return true;
    }
    auto texts = constant_texts(node_.inputs[2]);
    const auto otherwise = constant_texts(node_.inputs[3]);
    if (!texts || !otherwise || otherwise->size() != 1) return false;
    texts->push_back((*otherwise)[0]);
    const Cells all = cells_of(graph_, {std::ssize(*texts)}, *texts);
    note(write_.op("Gather", {all.value, at}, first), all.size);
    return true;
  }

  bool tfidf() {
    const auto x = cells_.find(node_.inputs[0]);
    const auto* pool = node_.find<std::vector<std::string>>("pool_strings");
    if (!x || pool == nullptr || pool->empty() || !type(0).is_shaped()) return false;
    std::vector<std::string> keys;
    std::vector<std::int64_t> numbers;
    for (const std::string& word : *pool) {
      auto known = std::find(keys.begin(), keys.end(), word);
      if (known == keys.end()) known = keys.insert(keys.end(), word);
      numbers.push_back(known - keys.begin());
    }
    NodeWriter::Attributes attributes = node_.attributes;
    attributes.erase("pool_strings");
    attributes["pool_int64s"] = numbers;
    write_.give(node_.outputs, node_.op, {find_among(*x, type(0), keys)}, std::move(attributes));
    return true;
  }

  // Concatenates two strings: as many bytes as the first string has, then those of the second.
  bool join() {
    const auto a = cells_.find(node_.inputs[0]), b = cells_.find(node_.inputs[1]);
    if (!a || !b || !result().is_shaped()) return false;
    const std::int64_t size = a->size + b->size - 1;
    const ValueId left = write_.op("Expand", {a->value, shape(result(), a->size)});
    const ValueId right = write_.op("Expand", {b->value, shape(result(), b->size)});
    const ValueId both = write_.op("Concat", {left, right}, {{"axis", std::int64_t{-1}}});
    const ValueId is_byte = cast(cast(left, DType::boolean), DType::i64);
    const ValueId length = write_.op("ReduceSum", {is_byte, write_.integers({-1})}, {{"keepdims", std::int64_t{1}}});
    std::vector<std::int64_t> places(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<std::int64_t>(i);
    const ValueId place = write_.integers(places);
    const ValueId behind = write_.op("Sub", {write_.op("Add", {place, write_.integer(a->size)}), length});
    const ValueId from = write_.op("Where", {write_.less(place, length), place,
                                             write_.op("Min", {behind, write_.integer(a->size + b->size - 1)})});
    note(write_.op("GatherElements", {both, from}, {{"axis", std::int64_t{-1}}}), size);
    return true;
  }

  // Removes the strings that are stop words; if none is left, the result is one empty string.
  bool normalise() {
    const auto x = cells_.find(node_.inputs[0]);
    if (!x || !type(0).is_shaped() || node_.outputs[0] == ir::kNoValue) return false;
    const std::string action = node_.text("case_change_action", "NONE");
    const bool sensitive = node_.integer("is_case_sensitive", 0) != 0;
    const ValueId changed = action == "NONE" ? x->value : in_case(x->value, action == "UPPER");
    std::vector<std::string> words;
    if (const auto* given = node_.find<std::vector<std::string>>("stopwords")) words = *given;
    const std::int64_t along = std::ssize(*type(0).dims) - 1;
    const std::int64_t count = type(0).dims->back();
    if (along > 1 || (along == 1 && (*type(0).dims)[0] != 1) || action_is_unknown(action)) return false;
    if (words.empty() && count != 0) {
      note(changed, x->size);
      return true;
    }
    Dims row = *type(0).dims;
    row.back() = 1;
    row.push_back(x->size);
    const ValueId rows = write_.op("Concat", {changed, write_.zeros({DType::u8, row})}, {{"axis", along}});
    const ValueId kept =
        words.empty() ? write_.zeros({DType::boolean, Dims{count}}) : kept_strings(*x, words, sensitive);
    const ValueId any = count == 0 ? write_.zeros({DType::i32, Dims{1}})
                                   : write_.op("ReduceMax", {cast(kept, DType::i32), write_.integers({0})},
                                               {{"keepdims", std::int64_t{1}}});
    const ValueId none = write_.op("Not", {cast(any, DType::boolean)});
    const ValueId condition = write_.op("Concat", {kept, none}, {{"axis", std::int64_t{0}}});
    note(write_.op("Compress", {rows, condition}, {{"axis", along}}), x->size);
    return true;
  }

  // The most pieces that a string can have are those of one of delimiters alone.
  bool pieces() {
    const auto x = cells_.find(node_.inputs[0]);
    if (!x) return false;
    const std::string delimiter = node_.text("delimiter", "");
    const std::int64_t longest = x->size - 1;
    std::int64_t most = delimiter.empty() ? (longest + 1) / 2 : longest / std::ssize(delimiter) + 1;
    if (const auto* cuts = node_.find<std::int64_t>("maxsplit")) most = std::min(most, *cuts + 1);
    most = std::max<std::int64_t>(most, 1);
    const bool wanted = node_.outputs[0] != ir::kNoValue;
    const bool counts = wanted && cells_.only_leaves(node_.outputs[0]);
    if (wanted && !counts) {
      if (!result().is_shaped() || result().dims->back() < 1) return false;
      most = result().dims->back();
    }
    std::vector<ValueId> outputs(3, ir::kNoValue);
    if (wanted) outputs[0] = graph_.add_value({});
    if (node_.outputs.size() > 1) outputs[1] = node_.outputs[1];
    if (counts) outputs[2] = graph_.add_value({});
    if (wanted) cells_.set(node_.outputs[0], {outputs[0], x->size, outputs[2]});
    NodeWriter::Attributes attributes = node_.attributes;
    attributes["pieces"] = most;
    write_.give(std::move(outputs), "byoc.TextSplit", {x->value}, std::move(attributes));
    return true;
  }

  static bool action_is_unknown(const std::string& action) {
    return action != "NONE" && action != "UPPER" && action != "LOWER";
  }

  // bool[N]: which strings are no stop words.
  ValueId kept_strings(const Cells& x, const std::vector<std::string>& words, bool sensitive) {
    const Cells all = cells_of(graph_, {std::ssize(words)}, words);
    const Cells compared{sensitive ? x.value : in_case(x.value, false), x.size};
    const Cells stop{sensitive ? all.value : in_case(all.value, false), all.size};
    const std::int64_t size = std::max(compared.size, stop.size);
    const ValueId rows = write_.op("Unsqueeze", {widened(compared, type(0), size), write_.integers({-2})});
    const ValueId matches = same(rows, widened(stop, {DType::u8, Dims{std::ssize(words)}}, size));
    const ValueId flat = write_.op("Reshape", {reduce("ReduceMax", matches), write_.integers({-1})});
    return write_.op("Not", {cast(flat, DType::boolean)});
  }

  ValueId in_case(ValueId cells, bool upper) {
    return write_.op("byoc.TextCase", {cells}, {{"upper", std::int64_t{upper ? 1 : 0}}});
  }

  ir::Graph& graph_;
  const ir::Node& node_;
  TextCells& cells_;
  NodeWriter write_;
};

}  // namespace

std::optional<Cells> TextCells::find(ValueId v) {
  if (const auto found = cells_.find(v); found != cells_.end()) return found->second;
  const ir::Value& value = graph_.values[v];
  if (!value.constant || value.type.dtype != DType::string) return std::nullopt;
  std::uint64_t count = 1;
  for (const ir::Dim d : *value.type.dims) count *= static_cast<std::uint64_t>(d);
  const auto texts = ir::unpack_texts(value.constant->bytes.bytes(), count);
  if (!texts) return std::nullopt;
  for (const std::string& t : *texts)
    if (t.find('\0') != std::string::npos) return std::nullopt;
  return cells_[v] = cells_of(graph_, *value.type.dims, *texts);
}

ValueId clean_cells(NodeWriter& write, ir::Graph& graph, ValueId given, std::int64_t size) {
  std::vector<std::byte> room(static_cast<std::size_t>(size), std::byte{1});
  room.back() = std::byte{0};
  const ValueId inside = graph.add_constant({}, {DType::boolean, Dims{size}}, Blob::own(std::move(room)));
  const ValueId is_byte = write.op("Cast", {given}, {{"to", ir::onnx_number(DType::boolean)}});
  const ValueId counts = write.op("Cast", {write.op("And", {is_byte, inside})}, {{"to", ir::onnx_number(DType::i32)}});
  const ValueId before = write.op("CumProd", {counts, write.integer(-1)});
  return write.op("Mul", {given, write.op("Cast", {before}, {{"to", ir::onnx_number(DType::u8)}})});
}

bool lower_text_node(ir::Graph& graph, const ir::Node& node, TextCells& cells) {
  return Rules(graph, node, cells).run();
}

}  // namespace byoc
