#include <algorithm>
#include <cstdlib>
#include <map>

#include "sdk/ir/text.hpp"
#include "sdk/ir/text_scanner.hpp"

namespace byoc::ir {
namespace {

using text::Scanner;

constexpr std::uint64_t kLargestConstants = std::uint64_t{1} << 30;  // bytes, all constants of a text together
constexpr int kDeepestGraph = 16;                                    // graphs in attributes of graphs

std::optional<DType> dtype_named(std::string_view name) {
  for (std::uint32_t i = 0; i <= static_cast<std::uint32_t>(DType::u4); ++i)
    if (to_string(static_cast<DType>(i)) == name) return static_cast<DType>(i);
  return std::nullopt;
}

// Zeros that take no memory until they are read.
Blob zero_blob(std::uint64_t size) {
  if (size == 0) return {};
  std::shared_ptr<void> memory(std::calloc(size, 1), std::free);
  if (!memory) return {};
  return Blob::view({static_cast<const std::byte*>(memory.get()), size}, memory);
}

class Parser {
 public:
  Parser(Scanner& scanner, const std::string& file, std::uint64_t& budget, int depth)
      : s_(scanner), budget_(budget), depth_(depth) {
    graph_.file = file;
  }

  // "graph" is taken already.
  Result<Graph> run() {
    if (!header()) return failure;
    while (!s_.take("}"))
      if (!statement()) return failure;
    if (!number_values()) return failure;
    return std::move(graph_);
  }

 private:
  // What is known of a label: where it was met first, and whether something gave it its type.
  struct Label {
    std::string name;
    std::size_t position = 0;
    bool declared = false;
    bool computed = false;
  };

  template <class F>
  Result<void> list(std::string_view open, std::string_view close, F&& item) {
    if (!s_.expect(open)) return failure;
    if (s_.take(close)) return {};
    do {
      if (!item()) return failure;
    } while (s_.take(","));
    return s_.expect(close);
  }

  template <class T>
  Result<std::vector<T>> numbers(std::string_view what) {
    std::vector<T> out;
    auto item = [&]() -> Result<void> {
      auto v = s_.number_as<T>(what);
      if (!v) return failure;
      out.push_back(*v);
      return {};
    };
    if (!list("[", "]", item)) return failure;
    return out;
  }

  Result<void> header() {
    auto name = s_.quoted("the name of the graph, in quotes");
    if (!name) return failure;
    graph_.name = std::move(*name);
    while (!s_.take("{")) {
      if (s_.take_word("requant")) {
        if (!s_.expect("=")) return failure;
        if (s_.take_word("tflite"))
          graph_.requant = Requant::tflite;
        else if (s_.take_word("onnx"))
          graph_.requant = Requant::onnx;
        else
          return s_.unexpected("tflite or onnx");
      } else if (s_.take_word("symbols")) {
        if (!s_.expect("=") || !list("[", "]", [&] { return symbol(); })) return failure;
      } else {
        return s_.unexpected("requant, symbols or '{'");
      }
    }
    return {};
  }

  Result<void> symbol() {
    const std::size_t start = s_.position();
    auto name = s_.name("the name of a symbol");
    if (!name) return failure;
    if (!symbols_.emplace(*name, graph_.symbols.size()).second)
      return s_.error(start, "the symbol is listed twice", *name);
    graph_.symbols.push_back(std::move(*name));
    return {};
  }

  Result<void> statement() {
    if (s_.take_word("input")) return boundary(graph_.inputs, true);
    if (s_.take_word("output")) return boundary(graph_.outputs, false);
    if (s_.take_word("const")) return constant();
    if (s_.take_word("value")) {
      auto v = declaration();
      if (!v) return failure;
      if (!labels_[*v].declared) return s_.unexpected("':' and the type of the value");
      return {};
    }
    if (s_.peek() == '%' || s_.peek() == '(' || s_.peek_word() == "_") return node();
    return s_.unexpected("input, const, value, a node, output or '}'");
  }

  Result<void> boundary(std::vector<ValueId>& side, bool may_declare) {
    auto v = may_declare ? declaration() : label();
    if (!v) return failure;
    side.push_back(*v);
    return {};
  }

  Result<void> constant() {
    auto v = declaration();
    if (!v) return failure;
    Value& value = graph_.values[*v];
    if (value.constant) return s_.error(s_.position(), "the constant is given twice", "%" + labels_[*v].name);
    if (!s_.expect("=")) return failure;
    auto bytes = data(value.type);
    if (!bytes) return failure;
    value.constant.emplace().bytes = std::move(*bytes);
    labels_[*v].computed = true;
    return {};
  }

  // %label; ids are provisional until number_values().
  Result<ValueId> label() {
    const std::size_t start = s_.position();
    if (!s_.expect("%")) return failure;
    auto text = s_.number();
    if (!text) return failure;
    if (text->find_first_of(".-+(") != std::string_view::npos)
      return s_.error(start, "not a value", "%" + std::string(*text), "'%' and a number or a word");
    const auto [it, fresh] = ids_.emplace(*text, static_cast<ValueId>(graph_.values.size()));
    if (fresh) {
      labels_.push_back({std::string(*text), start});
      Value v;
      if (text->front() < '0' || text->front() > '9') v.name = *text;
      graph_.values.push_back(std::move(v));
    }
    return it->second;
  }

  Result<ValueId> label_or_none() {
    if (s_.take_word("_")) return kNoValue;
    return label();
  }

  // %label ["name"] [: type [state] [#source index]]
  Result<ValueId> declaration() {
    const std::size_t start = s_.position();
    auto id = label();
    if (!id) return failure;
    const bool named = s_.peek() == '"';
    std::string name;
    if (named) {
      auto n = s_.quoted("the name of the value");
      if (!n) return failure;
      name = std::move(*n);
    }
    if (!named && s_.peek() != ':') return id;
    if (labels_[*id].declared) return s_.error(start, "the value is declared twice", "%" + labels_[*id].name);
    labels_[*id].declared = true;
    if (!s_.expect(":")) return failure;
    auto t = type();
    if (!t) return failure;
    Value& value = graph_.values[*id];
    if (named) value.name = std::move(name);
    value.type = std::move(*t);
    value.is_state = s_.take_word("state");
    if (s_.take("#") && !index(value.source_index)) return failure;
    return id;
  }

  Result<void> index(std::int64_t& out) {
    const std::size_t start = s_.position();
    auto v = s_.number_as<std::int64_t>("an index");
    if (!v) return failure;
    if (*v < 0) return s_.error(start, "negative index", std::to_string(*v), "0 or more");
    out = *v;
    return {};
  }

  Result<TensorType> type() {
    TensorType t;
    if (s_.take("?")) return quantised(std::move(t));
    const std::size_t start = s_.position();
    auto word = s_.identifier("a type");
    if (!word) return failure;
    const auto dtype = dtype_named(*word);
    if (!dtype) return s_.error(start, "unknown element type", std::string(*word));
    t.dtype = *dtype;
    if (s_.take("?")) return quantised(std::move(t));
    t.dims.emplace();
    if (!list("[", "]", [&] { return dim(*t.dims); })) return failure;
    return quantised(std::move(t));
  }

  Result<void> dim(std::vector<Dim>& dims) {
    const char c = s_.peek();
    const std::size_t start = s_.position();
    if ((c >= '0' && c <= '9') || c == '-') {
      auto v = s_.number_as<Dim>("a dimension that fits into 64 bits");
      if (!v) return failure;
      if (*v < 0) return s_.error(start, "negative dimension", std::to_string(*v), "0 or more");
      dims.push_back(*v);
      return {};
    }
    auto name = s_.name("a dimension");
    if (!name) return failure;
    const auto [it, fresh] = symbols_.emplace(*name, graph_.symbols.size());
    if (fresh) graph_.symbols.push_back(*name);
    dims.push_back(symbol_dim(it->second));
    return {};
  }

  Result<TensorType> quantised(TensorType t) {
    if (!s_.take_word("q")) return t;
    Quantisation q;
    if (!s_.expect("(")) return failure;
    if (s_.take_word("axis")) {
      if (!s_.expect("=")) return failure;
      auto axis = s_.number_as<std::int32_t>("an axis");
      if (!axis || !s_.expect(",")) return failure;
      q.axis = *axis;
    }
    if (s_.peek() == '[') {
      auto scales = numbers<float>("a scale");
      if (!scales || !s_.expect(",")) return failure;
      auto zero_points = numbers<std::int64_t>("a zero point");
      if (!zero_points) return failure;
      q.scales = std::move(*scales);
      q.zero_points = std::move(*zero_points);
    } else {
      auto scale = s_.number_as<float>("a scale");
      if (!scale || !s_.expect(",")) return failure;
      auto zero_point = s_.number_as<std::int64_t>("a zero point");
      if (!zero_point) return failure;
      q.scales = {*scale};
      q.zero_points = {*zero_point};
    }
    if (!s_.expect(")")) return failure;
    t.quantisation = std::move(q);
    return t;
  }

  // The size of a constant's type, taken from what all constants together may have.
  Result<std::uint64_t> size_of(const TensorType& t) {
    if (!t.is_static()) return s_.error(s_.position(), "a constant needs a known type", to_string(t, graph_));
    std::uint64_t bits = bit_width(t.dtype);
    bool overflow = false;
    for (Dim d : *t.dims)
      overflow = __builtin_mul_overflow(bits, static_cast<std::uint64_t>(std::max<Dim>(d, 1)), &bits) || overflow;
    const bool empty = std::find(t.dims->begin(), t.dims->end(), 0) != t.dims->end();
    const std::uint64_t bytes = empty ? 0 : bits / 8 + (bits % 8 != 0);
    if (overflow || bytes > budget_)
      return s_.error(s_.position(), "constants are too large", to_string(t, graph_),
                      "at most " + std::to_string(kLargestConstants) + " bytes in all");
    budget_ -= bytes;
    return bytes;
  }

  Result<Blob> data(const TensorType& t) {
    auto size = size_of(t);
    if (!size) return failure;
    const std::size_t start = s_.position();
    if (s_.take_word("zeros")) return zero_blob(*size);
    if (s_.take_word("hex")) {
      auto bytes = s_.hex_bytes(*size);
      if (!bytes) return failure;
      if (bytes->size() != *size)
        return s_.error(start, "constant data does not have the size of its type",
                        std::to_string(bytes->size()) + " bytes", std::to_string(*size) + " bytes");
      return Blob::own(std::move(*bytes));
    }
    if (s_.take_word("hash"))
      return s_.error(start, "the data of this constant was not printed", "its hash", "its elements");
    const bool splat = s_.take_word("splat");
    if (!splat && s_.peek() != '[') return s_.unexpected("the elements of a constant");
    Result<Blob> out = failure;
    if (!text::with_element_type(t.dtype, [&](auto tag) { out = elements<decltype(tag)>(t.dtype, *size, splat); }))
      return s_.error(start, "constants of this type are written as zeros or hex", std::string(to_string(t.dtype)));
    return out;
  }

  template <class T>
  Result<Blob> elements(DType dtype, std::uint64_t size, bool splat) {
    const std::size_t start = s_.position();
    const std::string what = "an element of type " + std::string(to_string(dtype));
    std::vector<std::byte> bytes;
    const std::uint64_t count = size / sizeof(T);
    std::uint64_t given = 0;
    auto item = [&]() -> Result<void> {
      auto v = s_.number_as<T>(what);
      if (!v) return failure;
      std::byte raw[sizeof(T)];
      std::memcpy(raw, &*v, sizeof(T));
      if (++given <= count) bytes.insert(bytes.end(), raw, raw + sizeof(T));
      return {};
    };
    if (splat ? !list("(", ")", item) : !list("[", "]", item)) return failure;
    if (given != (splat ? 1 : count))
      return s_.error(start, "constant does not have the elements of its type", std::to_string(given),
                      std::to_string(splat ? 1 : count));
    if (splat && count != 0) {
      bytes.resize(size);
      for (std::uint64_t done = sizeof(T); done < size; done *= 2)
        std::memcpy(bytes.data() + done, bytes.data(), std::min(done, size - done));
    }
    return Blob::own(std::move(bytes));
  }

  Result<void> node() {
    Node n;
    auto output = [&]() -> Result<void> {
      const bool none = s_.take_word("_");
      auto v = none ? Result<ValueId>(kNoValue) : declaration();
      if (!v) return failure;
      if (!none) labels_[*v].computed = true;
      n.outputs.push_back(*v);
      return {};
    };
    if (s_.take("(")) {
      if (!s_.expect(")")) return failure;
    } else {
      do {
        if (!output()) return failure;
      } while (s_.take(","));
    }
    if (!s_.expect("=") || !operator_name(n)) return failure;
    auto input = [&]() -> Result<void> {
      auto v = label_or_none();
      if (!v) return failure;
      n.inputs.push_back(*v);
      return {};
    };
    if (!list("(", ")", input)) return failure;
    if (s_.peek() == '{' && !list("{", "}", [&] { return attribute(n); })) return failure;
    if (s_.take("@")) {
      auto name = s_.quoted("the name of the node");
      if (!name) return failure;
      n.name = std::move(*name);
    }
    if (s_.take("#") && !index(n.position)) return failure;
    graph_.nodes.push_back(std::move(n));
    return {};
  }

  // Op.13, some.domain.Op.1 or "any domain"."any op".1
  Result<void> operator_name(Node& n) {
    if (s_.peek() == '"') {
      auto domain = s_.quoted("a domain");
      if (!domain || !s_.expect(".")) return failure;
      auto op = s_.quoted("an operator");
      if (!op || !s_.expect(".")) return failure;
      n.domain = std::move(*domain);
      n.op = std::move(*op);
    } else {
      for (;;) {
        if (!n.op.empty()) n.domain += n.domain.empty() ? n.op : "." + n.op;
        auto word = s_.identifier("an operator");
        if (!word || !s_.expect(".")) return failure;
        n.op = *word;
        if (s_.peek_word().empty()) break;
      }
    }
    auto version = s_.number_as<std::int64_t>("an operator version");
    if (!version) return failure;
    n.version = *version;
    return {};
  }

  Result<void> attribute(Node& n) {
    const std::size_t start = s_.position();
    auto key = s_.name("the name of an attribute");
    if (!key || !s_.expect("=")) return failure;
    auto value = attribute_value();
    if (!value) return failure;
    if (!n.attributes.emplace(*key, std::move(*value)).second)
      return s_.error(start, "the attribute is given twice", *key);
    return {};
  }

  Result<Attribute> attribute_value() {
    if (s_.peek() == '"') {
      auto v = s_.quoted("a string");
      if (!v) return failure;
      return Attribute(std::move(*v));
    }
    if (s_.peek() == '[') return attribute_list();
    if (s_.take_word("floats")) {
      auto v = numbers<float>("a float");
      if (!v) return failure;
      return Attribute(std::move(*v));
    }
    if (s_.take_word("strings")) return strings();
    if (s_.take_word("tensor")) return tensor();
    if (s_.take_word("graph")) return nested_graph();
    const std::size_t start = s_.position();
    auto lexeme = s_.number();
    if (!lexeme) return failure;
    if (std::int64_t v = 0; text::read_number(*lexeme, v)) return Attribute(v);
    if (float v = 0; text::read_number(*lexeme, v) && !is_integer(*lexeme)) return Attribute(v);
    return s_.error(start, "not the value of an attribute", std::string(*lexeme));
  }

  static bool is_integer(std::string_view lexeme) {
    return lexeme.find_first_not_of("-0123456789") == std::string_view::npos;
  }

  Result<Attribute> attribute_list() {
    Scanner ahead = s_;
    if (ahead.take("[") && ahead.peek() == '"') return strings();
    // One number that is no integer makes all of them floats.
    std::vector<std::pair<std::size_t, std::string_view>> lexemes;
    auto item = [&]() -> Result<void> {
      const std::size_t start = s_.position();
      auto lexeme = s_.number();
      if (!lexeme) return failure;
      lexemes.emplace_back(start, *lexeme);
      return {};
    };
    if (!list("[", "]", item)) return failure;
    const bool integers =
        std::all_of(lexemes.begin(), lexemes.end(), [](const auto& l) { return is_integer(l.second); });
    return integers ? converted<std::int64_t>(lexemes) : converted<float>(lexemes);
  }

  template <class T>
  Result<Attribute> converted(const std::vector<std::pair<std::size_t, std::string_view>>& lexemes) {
    std::vector<T> out;
    for (const auto& [position, lexeme] : lexemes) {
      T v{};
      if (!text::read_number(lexeme, v))
        return s_.error(position, "not the value of an attribute", std::string(lexeme));
      out.push_back(v);
    }
    return Attribute(std::move(out));
  }

  Result<Attribute> strings() {
    std::vector<std::string> out;
    auto item = [&]() -> Result<void> {
      auto v = s_.quoted("a string");
      if (!v) return failure;
      out.push_back(std::move(*v));
      return {};
    };
    if (!list("[", "]", item)) return failure;
    return Attribute(std::move(out));
  }

  Result<Attribute> tensor() {
    if (!s_.expect("(")) return failure;
    auto t = type();
    if (!t || !s_.expect("=")) return failure;
    auto bytes = data(*t);
    if (!bytes || !s_.expect(")")) return failure;
    return Attribute(Tensor{std::move(*t), std::move(*bytes)});
  }

  Result<Attribute> nested_graph() {
    if (depth_ == kDeepestGraph)
      return s_.error(s_.position(), "graphs are nested too deeply", {}, "at most " + std::to_string(kDeepestGraph));
    auto g = Parser(s_, graph_.file, budget_, depth_ + 1).run();
    if (!g) return failure;
    return Attribute(std::make_shared<Graph>(std::move(*g)));
  }

  // Labels that are the numbers 0 to n-1 are the ids; otherwise the order in which they were met is.
  Result<void> number_values() {
    for (const Label& l : labels_)
      if (!l.declared && !l.computed) return s_.error(l.position, "nothing defines the value", "%" + l.name);
    std::vector<ValueId> id(labels_.size(), kNoValue);
    std::vector<bool> used(labels_.size(), false);
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      std::uint32_t n = 0;
      const std::string& name = labels_[i].name;
      if (!text::read_number(name, n) || n >= id.size() || used[n] || std::to_string(n) != name) return {};
      used[n] = true;
      id[i] = n;
    }
    std::vector<Value> values(labels_.size());
    for (std::size_t i = 0; i < id.size(); ++i) values[id[i]] = std::move(graph_.values[i]);
    graph_.values = std::move(values);
    auto renumber = [&](std::vector<ValueId>& ids) {
      for (ValueId& v : ids)
        if (v != kNoValue) v = id[v];
    };
    renumber(graph_.inputs);
    renumber(graph_.outputs);
    for (Node& n : graph_.nodes) {
      renumber(n.inputs);
      renumber(n.outputs);
    }
    return {};
  }

  Scanner& s_;
  std::uint64_t& budget_;
  const int depth_;
  Graph graph_;
  std::map<std::string, std::size_t, std::less<>> symbols_;
  std::map<std::string_view, ValueId> ids_;  // keys live in the text
  std::vector<Label> labels_;                // by provisional id
};

}  // namespace

Result<Graph> parse(std::string_view text, const std::string& file, Diagnostics& diags) {
  Scanner scanner(text, file, diags);
  if (!scanner.take_word("graph")) return scanner.unexpected("graph");
  std::uint64_t budget = kLargestConstants;
  auto graph = Parser(scanner, file, budget, 0).run();
  if (graph && !scanner.at_end()) return scanner.unexpected("the end of the text");
  return graph;
}

}  // namespace byoc::ir
