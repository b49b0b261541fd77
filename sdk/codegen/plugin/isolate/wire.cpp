#include "sdk/codegen/plugin/isolate/wire.hpp"

#include "sdk/codegen/codegen/artifact_rules.hpp"
#include "sdk/codegen/codegen/fields.hpp"

namespace byoc::plugin {
namespace {

using Bytes = std::span<const std::byte>;
using Source = std::shared_ptr<const codegen::ModelSource>;

template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;
template <class T>
concept Plain = std::is_arithmetic_v<T> || std::same_as<T, std::string>;

// The last enumerator of what has no others.
constexpr DType last(DType) { return static_cast<DType>(kNumericTypeCount - 1); }
constexpr Requant last(Requant) { return Requant::onnx; }
constexpr codegen::Exactness last(codegen::Exactness) { return codegen::Exactness::relative; }
constexpr codegen::ArtifactKind last(codegen::ArtifactKind) { return codegen::ArtifactKind::licence; }
constexpr codegen::Effort last(codegen::Effort) { return codegen::Effort::glue; }
constexpr codegen::Reason last(codegen::Reason) { return codegen::Reason{0xffffffffu}; }

// Bytes are aligned for any element where the message is that they are in. A message is a string of its own.
constexpr std::size_t kAlign = 16;

struct Putter {
  MessageWriter& out;
  const KnownConstants* known;

  template <class T>
  void operator()(const T& value) const {
    if constexpr (Plain<T> || std::is_enum_v<T>) {
      out.put(value);
    } else if constexpr (is_vector<T>) {
      out.list(value, *this);
    } else {
      static_assert(lists_all_fields<T>);
      fields(value, [&](const auto&... members) { ((*this)(members), ...); });
    }
  }
  void operator()(const codegen::Attribute& a) const {
    out.put<std::uint64_t>(a.index());
    std::visit(*this, a);
  }
  void operator()(const decltype(codegen::Node::attributes)& attributes) const {
    out.list(attributes, [&](const auto& a) {
      out.put(a.first);
      (*this)(a.second);
    });
  }
  void operator()(const Source& source) const {
    const bool here = known != nullptr && known->has(source);
    out.put(here);
    if (here) out.put(reinterpret_cast<std::uintptr_t>(source.get()));
  }
  void operator()(const Bytes& bytes) const {
    const bool here = known != nullptr && known->has(bytes);
    out.put(here);
    if (here) {
      out.put(reinterpret_cast<std::uintptr_t>(bytes.data()));
      out.put<std::uint64_t>(bytes.size());
      return;
    }
    const std::size_t at = out.bytes().size() + sizeof(std::uint8_t) + sizeof(std::uint64_t);
    const auto gap = static_cast<std::uint8_t>((kAlign - at % kAlign) % kAlign);
    out.put(gap);
    for (std::uint8_t i = 0; i < gap; ++i) out.put(std::uint8_t{0});
    out.put(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
};

struct Getter {
  MessageReader& in;
  bool shares_memory = true;  // with whoever wrote it: there may be addresses

  template <class T>
  T read() const {
    T value{};
    (*this)(value);
    return value;
  }
  template <class T>
  void operator()(T& value) const {
    if constexpr (std::same_as<T, std::string>) {
      value = in.text();
    } else if constexpr (std::same_as<T, bool>) {
      value = in.flag();
    } else if constexpr (Plain<T>) {
      value = in.get<T>();
    } else if constexpr (std::is_enum_v<T>) {
      value = in.choice(last(T{}));
    } else if constexpr (is_vector<T>) {
      value = in.list([&] { return read<typename T::value_type>(); });
    } else {
      static_assert(lists_all_fields<T>);
      fields(value, [&](auto&... members) { ((*this)(members), ...); });
      if constexpr (requires { broken_rule(value); })
        if (in.ok() && broken_rule(value)) in.fail();
    }
  }
  void operator()(codegen::Attribute& a) const {
    const auto index = in.get<std::uint64_t>();
    if (index >= std::variant_size_v<codegen::AttributeVariant>) return in.fail();
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((index == I ? void(a.emplace<I>(read<std::variant_alternative_t<I, codegen::AttributeVariant>>())) : void()),
       ...);
    }(std::make_index_sequence<std::variant_size_v<codegen::AttributeVariant>>());
  }
  void operator()(decltype(codegen::Node::attributes)& attributes) const {
    for (auto n = in.get<std::uint64_t>(); n > 0 && in.ok(); --n) {
      std::string key = in.text();
      (*this)(attributes[std::move(key)]);
    }
  }
  // Whoever wrote it keeps it as long as this process lives.
  void operator()(Source& source) const {
    if (!in.flag()) return;
    if (!shares_memory) return in.fail();
    const auto* there = reinterpret_cast<const codegen::ModelSource*>(in.get<std::uintptr_t>());
    source = Source(Source(), there);
  }
  void operator()(Bytes& bytes) const {
    if (in.flag()) {
      if (!shares_memory) return in.fail();
      const auto address = in.get<std::uintptr_t>();
      bytes = {reinterpret_cast<const std::byte*>(address), static_cast<std::size_t>(in.get<std::uint64_t>())};
      return;
    }
    for (auto gap = in.get<std::uint8_t>(); gap > 0; --gap) (void)in.get<std::uint8_t>();
    const std::string_view own = in.view();
    bytes = {reinterpret_cast<const std::byte*>(own.data()), own.size()};
  }
};

}  // namespace

template <class T>
void put(MessageWriter& out, const T& value) {
  Putter{out, nullptr}(value);
}

void put(MessageWriter& out, const codegen::Region& region, const KnownConstants& known) {
  Putter{out, &known}(region);
}

void put_type(MessageWriter& out, const codegen::Value& v) {
  const Putter put{out, nullptr};
  put(v.dtype);
  put(v.dims);
  put(v.quantisation);
}

template <class T>
T get(MessageReader& in) {
  return Getter{in, true}.read<T>();
}

codegen::Region get_region_of_a_file(MessageReader& in) { return Getter{in, false}.read<codegen::Region>(); }

codegen::Group get_group(MessageReader& in, std::size_t nodes, std::size_t patterns) {
  auto g = get<codegen::Group>(in);
  for (std::size_t i = 0; i < g.nodes.size(); ++i)
    if (g.nodes[i] >= nodes || (i != 0 && g.nodes[i] <= g.nodes[i - 1])) in.fail();
  if (g.nodes.empty() || (g.pattern != codegen::kNoPattern && g.pattern >= patterns)) in.fail();
  return g;
}

void get_type(MessageReader& in, codegen::Value& v) {
  const Getter get{in, true};
  get(v.dtype);
  get(v.dims);
  get(v.quantisation);
}

#define BYOC_ON_THE_WIRE(Type)                                 \
  template void put(MessageWriter& out, const codegen::Type&); \
  template codegen::Type get<codegen::Type>(MessageReader & in)
BYOC_ON_THE_WIRE(Pattern);
BYOC_ON_THE_WIRE(Match);
BYOC_ON_THE_WIRE(Verdict);
BYOC_ON_THE_WIRE(Group);
BYOC_ON_THE_WIRE(ConstantDecl);
BYOC_ON_THE_WIRE(SourceDecl);
BYOC_ON_THE_WIRE(ArtifactDecl);
BYOC_ON_THE_WIRE(Arrangement);
BYOC_ON_THE_WIRE(Step);
BYOC_ON_THE_WIRE(PrivateValue);
BYOC_ON_THE_WIRE(PrivateLayout);
BYOC_ON_THE_WIRE(Instance);
#undef BYOC_ON_THE_WIRE
template codegen::Region get<codegen::Region>(MessageReader& in);

}  // namespace byoc::plugin
