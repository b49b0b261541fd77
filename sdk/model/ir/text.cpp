#include "sdk/model/ir/text.hpp"

#include <algorithm>

#include "sdk/model/ir/text_elements.hpp"
#include "sdk/model/ir/texts.hpp"

namespace byoc::ir {
namespace {

constexpr std::size_t kLongestList = 64;  // elements; longer constants print as hex

bool is_identifier(std::string_view s) {
  auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !s.empty() && letter(s[0]) &&
         std::all_of(s.begin(), s.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

bool is_dotted(std::string_view s) {
  for (std::size_t dot = s.find('.'); dot != std::string_view::npos; dot = s.find('.')) {
    if (!is_identifier(s.substr(0, dot))) return false;
    s.remove_prefix(dot + 1);
  }
  return is_identifier(s);
}

// True if `t` is static and takes `size` bytes. The verifier may refuse the type.
bool has_size(const TensorType& t, std::uint64_t size) {
  std::uint64_t bits = bit_width(t.dtype);
  if (!t.is_static()) return false;
  for (Dim d : *t.dims)
    if (__builtin_mul_overflow(bits, static_cast<std::uint64_t>(d), &bits)) return false;
  return bits / 8 + (bits % 8 != 0) == size;
}

// The number of elements of a type whose dims are known. The verifier may refuse the type.
std::uint64_t count_of(const TensorType& t) {
  std::uint64_t n = 1;
  for (Dim d : *t.dims)
    if (__builtin_mul_overflow(n, static_cast<std::uint64_t>(d), &n)) return UINT64_MAX;
  return n;
}

void append_hex(std::string& out, unsigned char byte) {
  constexpr char kDigits[] = "0123456789abcdef";
  out += kDigits[byte >> 4];
  out += kDigits[byte & 15];
}

class Printer {
 public:
  Printer(const Graph& graph, const PrintOptions& options, std::size_t depth)
      : graph_(graph), options_(options), indent_(2 * depth + 2, ' '), declared_(graph.values.size(), false) {}

  std::string run() {
    out_ = "graph ";
    quoted(graph_.name);
    out_ += graph_.requant == Requant::tflite ? " requant=tflite" : " requant=onnx";
    if (!graph_.symbols.empty()) {
      out_ += " symbols=";
      list('[', graph_.symbols, ']', [&](const std::string& s) {
        name(s);
        range(static_cast<std::size_t>(&s - graph_.symbols.data()));
      });
    }
    out_ += " {\n";
    for (ValueId v : graph_.inputs)
      line([&] {
        out_ += "input ";
        if (v < graph_.values.size() && graph_.is_constant(v))
          reference(v);
        else
          declaration(v);
      });
    for (ValueId v = 0; v < graph_.values.size(); ++v)
      if (graph_.values[v].constant) line([&] { constant(v); });
    for (const State& s : graph_.states) line([&] { state(s); });
    const std::vector<bool> computed = computed_values();
    for (ValueId v = 0; v < graph_.values.size(); ++v)
      if (!computed[v] && !declared_[v]) line([&] { out_ += "value ", declaration(v); });
    for (const Node& n : graph_.nodes) line([&] { node(n); });
    for (ValueId v : graph_.outputs) line([&] { out_ += "output ", reference(v); });
    for (const CountedDim& c : graph_.counted)
      line([&] {
        out_ +=
            "counted " + std::to_string(c.output) + " dim " + std::to_string(c.dim) + " by " + std::to_string(c.count);
      });
    for (const BoundedValue& b : graph_.bounded) line([&] { bounded(b); });
    out_.append(indent_, 2).append("}");
    return std::move(out_);
  }

 private:
  // bounded input "x" f32 0 3 [sequence] [optional] [count 3] [given 4]
  void bounded(const BoundedValue& b) {
    out_ += b.is_output ? "bounded output " : "bounded input ";
    name(b.name);
    out_.append(" ").append(byoc::to_string(b.dtype));
    out_ += " " + std::to_string(b.first) + " " + std::to_string(b.elements);
    if (b.is_sequence) out_ += " sequence";
    if (b.is_optional) out_ += " optional";
    if (b.count) out_ += " count " + std::to_string(*b.count);
    if (b.given) out_ += " given " + std::to_string(*b.given);
  }

  template <class F>
  void line(F&& content) {
    out_ += indent_;
    content();
    out_ += '\n';
  }

  void range(std::size_t symbol) {
    if (symbol >= graph_.ranges.size() || graph_.ranges[symbol] == DimRange{}) return;
    out_ += '=';
    list('[', std::vector<Dim>{graph_.ranges[symbol].least, graph_.ranges[symbol].most}, ']',
         [&](Dim d) { text::append_number(out_, d); });
  }

  template <class C, class F>
  void list(char open, const C& items, char close, F&& item) {
    out_ += open;
    bool first = true;
    for (const auto& i : items) {
      if (!first) out_ += ", ";
      first = false;
      item(i);
    }
    out_ += close;
  }

  template <class T>
  void numbers(const std::vector<T>& values) {
    list('[', values, ']', [&](T v) { text::append_number(out_, v); });
  }

  void quoted(std::string_view s) {
    out_ += '"';
    for (char c : s) {
      if (c == '"' || c == '\\') {
        out_ += '\\', out_ += c;
      } else if (c == '\n') {
        out_ += "\\n";
      } else if (c >= 0x20 && c < 0x7f) {
        out_ += c;
      } else {
        out_ += "\\x";
        append_hex(out_, static_cast<unsigned char>(c));
      }
    }
    out_ += '"';
  }

  void name(std::string_view s) {
    if (is_identifier(s))
      out_ += s;
    else
      quoted(s);
  }

  std::vector<bool> computed_values() const {
    std::vector<bool> computed(graph_.values.size(), false);
    for (const Node& n : graph_.nodes)
      for (ValueId v : n.outputs)
        if (v < computed.size()) computed[v] = true;
    return computed;
  }

  void reference(ValueId v) { out_ += v == kNoValue ? "_" : "%" + std::to_string(v); }

  // The whole declaration where `v` is met first, the reference alone after that.
  void declaration(ValueId v) {
    reference(v);
    if (v >= declared_.size() || declared_[v]) return;
    declared_[v] = true;
    const Value& value = graph_.values[v];
    if (!value.name.empty()) out_ += ' ', quoted(value.name);
    out_ += " : ";
    type(value.type);
    if (value.source_index >= 0) out_ += " #" + std::to_string(value.source_index);
  }

  void type(const TensorType& t) {
    out_ += container_prefix(t.container);
    element_type(t);
    out_ += container_suffix(t.container);
    if (t.quantisation) quantisation(*t.quantisation);
  }

  void element_type(const TensorType& t) {
    if (!t.dims) {
      out_ += t.dtype == DType::undefined ? "?" : std::string(byoc::to_string(t.dtype)) + "?";
    } else {
      out_ += byoc::to_string(t.dtype);
      out_ += '[';
      for (std::size_t i = 0; i < t.dims->size(); ++i) {
        if (i != 0) out_ += ',';
        dim((*t.dims)[i]);
      }
      out_ += ']';
    }
  }

  void dim(Dim d) {
    const auto symbol = static_cast<std::size_t>(-1 - d);
    if (!is_open(d))
      text::append_number(out_, d);
    else if (symbol < graph_.symbols.size())
      name(graph_.symbols[symbol]);
    else
      out_ += '?';
  }

  void quantisation(const Quantisation& q) {
    out_ += " q(";
    if (q.axis == -1 && q.scales.size() == 1 && q.zero_points.size() == 1) {
      text::append_number(out_, q.scales[0]);
      out_ += ", ";
      text::append_number(out_, q.zero_points[0]);
    } else {
      if (q.axis != -1) out_ += "axis=" + std::to_string(q.axis) + ", ";
      numbers(q.scales);
      out_ += ", ";
      numbers(q.zero_points);
    }
    out_ += ')';
  }

  void state(const State& s) {
    out_ += "state ";
    declaration(s.value);
    out_ += " -> ";
    reference(s.next);
    if (s.initial.size() == 0) return;
    out_ += " = ";
    data(graph_.values[s.value].type, s.initial);
  }

  void constant(ValueId v) {
    out_ += "const ";
    declaration(v);
    out_ += " = ";
    data(graph_.values[v].type, graph_.values[v].constant->bytes);
  }

  void data(const TensorType& t, const Blob& blob) {
    const auto bytes = blob.bytes();
    if (t.dtype == DType::string) return texts(t, bytes);
    const unsigned width = std::max(1u, bit_width(t.dtype));
    if (bytes.size() * 8 / width > options_.longest_constant) {
      out_ += "hash(" + to_hex(identify(bytes)) + ")";
      return;
    }
    const bool small = bytes.size() * 8 / width <= kLongestList && bytes.size() * 8 % width == 0;
    if (small && text::with_element_type(t.dtype, [&](auto tag) { elements<decltype(tag)>(bytes); })) return;
    const bool zero = std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
    if (zero && has_size(t, bytes.size())) {
      out_ += "zeros";
      return;
    }
    hex(bytes);
  }

  void texts(const TensorType& t, std::span<const std::byte> bytes) {
    const auto elements = t.is_shaped() ? unpack_texts(bytes, count_of(t)) : std::nullopt;
    if (bytes.size() > options_.longest_constant)
      out_ += "hash(" + to_hex(identify(bytes)) + ")";
    else if (elements)
      list('[', *elements, ']', [&](const std::string& s) { quoted(s); });
    else
      hex(bytes);
  }

  void hex(std::span<const std::byte> bytes) {
    out_ += "hex\"";
    for (std::byte b : bytes) append_hex(out_, static_cast<unsigned char>(b));
    out_ += '"';
  }

  template <class T>
  void elements(std::span<const std::byte> bytes) {
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    numbers(values);
  }

  void node(const Node& n) {
    if (n.outputs.empty()) out_ += "()";
    bool first = true;
    for (ValueId v : n.outputs) {
      if (!first) out_ += ", ";
      first = false;
      declaration(v);
    }
    out_ += " = ";
    if ((n.domain.empty() || is_dotted(n.domain)) && is_identifier(n.op))
      out_ += n.domain.empty() ? n.op : n.domain + "." + n.op;
    else
      quoted(n.domain), out_ += '.', quoted(n.op);
    out_ += "." + std::to_string(n.version);
    list('(', n.inputs, ')', [&](ValueId v) { reference(v); });
    if (!n.attributes.empty()) {
      out_ += ' ';
      list('{', n.attributes, '}', [&](const auto& a) {
        name(a.first);
        out_ += '=';
        std::visit([&](const auto& v) { attribute(v); }, a.second);
      });
    }
    if (!n.name.empty()) out_ += " @", quoted(n.name);
    if (n.position >= 0) out_ += " #" + std::to_string(n.position);
    if (!n.part_of.empty()) out_ += " of ", quoted(n.part_of);
  }

  void attribute(std::int64_t v) { text::append_number(out_, v); }
  void attribute(float v) { text::append_number(out_, v); }
  void attribute(const std::string& v) { quoted(v); }
  void attribute(const std::vector<std::int64_t>& v) { numbers(v); }
  void attribute(const std::vector<float>& v) {
    if (v.empty()) out_ += "floats";
    numbers(v);
  }
  void attribute(const std::vector<std::string>& v) {
    if (v.empty()) out_ += "strings";
    list('[', v, ']', [&](const std::string& s) { quoted(s); });
  }
  void attribute(const Tensor& v) {
    out_ += "tensor(";
    type(v.type);
    out_ += " = ";
    data(v.type, v.bytes);
    out_ += ')';
  }
  void attribute(const std::shared_ptr<Graph>& v) {
    if (v)
      out_ += Printer(*v, options_, indent_.size() / 2).run();
    else
      out_ += "graph \"\" requant=onnx {\n" + indent_ + "}";
  }

  const Graph& graph_;
  const PrintOptions& options_;
  const std::string indent_;
  std::vector<bool> declared_;
  std::string out_;
};

}  // namespace

std::string print(const Graph& graph, const PrintOptions& options) { return Printer(graph, options, 0).run() + "\n"; }

}  // namespace byoc::ir
