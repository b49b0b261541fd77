#include <algorithm>
#include <map>

#include "sdk/model/ir/control.hpp"
#include "sdk/model/ir/held_type.hpp"
#include "sdk/model/ir/text.hpp"
#include "sdk/model/ir/text_scanner.hpp"
#include "sdk/model/ir/text_types.hpp"

namespace byoc::ir {
namespace {

using text::Scanner;
using text::TypeParser;

class Parser {
 public:
  Parser(Scanner& scanner, const std::string& file, std::uint64_t& budget, int depth)
      : s_(scanner), budget_(budget), depth_(depth), types_(scanner, graph_, budget) {
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
  // A label, the position of its first use, and whether it has been declared or computed.
  struct Label {
    std::string name;
    std::size_t position = 0;
    bool declared = false;
    bool computed = false;
  };

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
        if (!s_.expect("=") || !s_.list("[", "]", [&] { return types_.declare_symbol(); })) return failure;
      } else {
        return s_.unexpected("requant, symbols or '{'");
      }
    }
    return {};
  }

  Result<void> statement() {
    if (s_.take_word("input")) return boundary(graph_.inputs, true);
    if (s_.take_word("output")) return boundary(graph_.outputs, false);
    if (s_.take_word("counted")) return counted();
    if (s_.take_word("bounded")) return bounded();
    if (s_.take_word("const")) return constant();
    if (s_.take_word("state")) return state();
    if (s_.take_word("value")) {
      auto v = declaration();
      if (!v) return failure;
      if (!labels_[*v].declared) return s_.unexpected("':' and the type of the value");
      return {};
    }
    if (s_.peek() == '%' || s_.peek() == '(' || s_.peek_word() == "_") return node();
    return s_.unexpected("input, const, state, value, a node, output or '}'");
  }

  Result<void> boundary(std::vector<ValueId>& side, bool may_declare) {
    auto v = may_declare ? declaration() : label();
    if (!v) return failure;
    side.push_back(*v);
    return {};
  }

  // counted OUTPUT dim DIM by OUTPUT
  Result<void> counted() {
    CountedDim c;
    if (!index(c.output)) return failure;
    if (!s_.take_word("dim")) return s_.unexpected("dim");
    if (!index(c.dim)) return failure;
    if (!s_.take_word("by")) return s_.unexpected("by");
    if (!index(c.count)) return failure;
    graph_.counted.push_back(c);
    return {};
  }

  // bounded input|output NAME TYPE FIRST ELEMENTS [sequence] [optional] [count INDEX] [given INDEX]
  Result<void> bounded() {
    BoundedValue b;
    b.is_output = s_.take_word("output");
    if (!b.is_output && !s_.take_word("input")) return s_.unexpected("input or output");
    auto name = s_.name("the name of an input or output");
    if (!name) return failure;
    b.name = std::move(*name);
    const std::size_t at = s_.position();
    const auto word = s_.name("an element type");
    const auto type = word ? held_type(*word) : std::nullopt;
    if (word && !type) return s_.error(at, "not an element type", *word, "f32, string ...");
    if (!type || !index(b.first) || !index(b.elements)) return failure;
    b.dtype = type->dtype;
    b.is_sequence = s_.take_word("sequence");
    b.is_optional = s_.take_word("optional");
    if (s_.take_word("count") && !index(b.count.emplace())) return failure;
    if (s_.take_word("given") && !index(b.given.emplace())) return failure;
    graph_.bounded.push_back(std::move(b));
    return {};
  }

  Result<void> constant() {
    auto v = declaration();
    if (!v) return failure;
    Value& value = graph_.values[*v];
    if (value.constant) return s_.error(s_.position(), "the constant is given twice", "%" + labels_[*v].name);
    if (!s_.expect("=")) return failure;
    auto bytes = types_.data(value.type);
    if (!bytes) return failure;
    value.constant.emplace().bytes = std::move(*bytes);
    labels_[*v].computed = true;
    return {};
  }

  // state V -> %next [= data]
  Result<void> state() {
    auto v = declaration();
    if (!v || !s_.expect("-") || !s_.expect(">")) return failure;
    auto next = label();
    if (!next) return failure;
    graph_.values[*v].is_state = true;
    State state{*v, *next, {}};
    if (s_.take("=")) {
      auto bytes = types_.data(graph_.values[*v].type);
      if (!bytes) return failure;
      state.initial = std::move(*bytes);
    }
    graph_.states.push_back(std::move(state));
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

  // %label ["name"] [: type [#source index]]
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
    auto t = types_.type();
    if (!t) return failure;
    Value& value = graph_.values[*id];
    if (named) value.name = std::move(name);
    value.type = std::move(*t);
    if (s_.take("#") && !index(value.source_index)) return failure;
    return id;
  }

  template <class T>
  Result<void> index(T& out) {
    const std::size_t start = s_.position();
    auto v = s_.number_as<T>("an index");
    if (!v) return failure;
    if (std::is_signed_v<T> && *v < T{0}) return s_.error(start, "negative index", std::to_string(*v), "0 or more");
    out = *v;
    return {};
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
    if (!s_.list("(", ")", input)) return failure;
    if (s_.peek() == '{' && !s_.list("{", "}", [&] { return attribute(n); })) return failure;
    if (s_.take("@")) {
      auto name = s_.quoted("the name of the node");
      if (!name) return failure;
      n.name = std::move(*name);
    }
    if (s_.take("#") && !index(n.position)) return failure;
    if (s_.take_word("of")) {
      auto whole = s_.quoted("an operator of the model");
      if (!whole) return failure;
      n.part_of = std::move(*whole);
    }
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
      auto v = s_.numbers<float>("a float");
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
    // One number that is not an integer makes all of them floats.
    std::vector<std::pair<std::size_t, std::string_view>> lexemes;
    auto item = [&]() -> Result<void> {
      const std::size_t start = s_.position();
      auto lexeme = s_.number();
      if (!lexeme) return failure;
      lexemes.emplace_back(start, *lexeme);
      return {};
    };
    if (!s_.list("[", "]", item)) return failure;
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
    if (!s_.list("[", "]", item)) return failure;
    return Attribute(std::move(out));
  }

  Result<Attribute> tensor() {
    if (!s_.expect("(")) return failure;
    auto t = types_.type();
    if (!t || !s_.expect("=")) return failure;
    auto bytes = types_.data(*t);
    if (!bytes || !s_.expect(")")) return failure;
    return Attribute(Tensor{std::move(*t), std::move(*bytes)});
  }

  Result<Attribute> nested_graph() {
    if (depth_ == kDeepestBody)
      return s_.error(s_.position(), "graphs are nested too deeply", {},
                      "at most " + std::to_string(kDeepestBody) + " deep");
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
    for (State& s : graph_.states) {
      s.value = id[s.value];
      s.next = id[s.next];
    }
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
  TypeParser types_;
  std::map<std::string_view, ValueId> ids_;  // keys live in the text
  std::vector<Label> labels_;                // by provisional id
};

}  // namespace

Result<Graph> parse(std::string_view text, const std::string& file, Diagnostics& diags) {
  Scanner scanner(text, file, diags);
  if (!scanner.take_word("graph")) return scanner.unexpected("graph");
  std::uint64_t budget = text::kLargestConstants;
  auto graph = Parser(scanner, file, budget, 0).run();
  if (graph && !scanner.at_end()) return scanner.unexpected("the end of the text");
  return graph;
}

}  // namespace byoc::ir
