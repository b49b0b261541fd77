#include "sdk/plugin/wire.hpp"

#include "sdk/plugin/artifact_rules.hpp"

namespace byoc::plugin {
namespace {

void put(MessageWriter& out, const codegen::Attribute& a) {
  out.put<std::uint64_t>(a.index());
  std::visit(
      [&](const auto& value) {
        if constexpr (requires { out.put(value); })
          out.put(value);
        else
          out.list(value);
      },
      a);
}

codegen::Attribute get_attribute(MessageReader& in) {
  switch (in.get<std::uint64_t>()) {
    case 0: return in.get<std::int64_t>();
    case 1: return in.get<float>();
    case 2: return in.text();
    case 3: return in.numbers<std::int64_t>();
    case 4: return in.numbers<float>();
    case 5: return in.texts();
    default: in.fail(); return std::int64_t{0};
  }
}

// Bytes that are aligned for any element where the message is that they are in. A message is a string of its own.
constexpr std::size_t kAlign = 16;

void put_aligned(MessageWriter& out, std::span<const std::byte> bytes) {
  const std::size_t at = out.bytes().size() + sizeof(std::uint8_t) + sizeof(std::uint64_t);
  const auto gap = static_cast<std::uint8_t>((kAlign - at % kAlign) % kAlign);
  out.put(gap);
  for (std::uint8_t i = 0; i < gap; ++i) out.put(std::uint8_t{0});
  out.put(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

std::span<const std::byte> get_aligned(MessageReader& in) {
  for (auto gap = in.get<std::uint8_t>(); gap > 0; --gap) (void)in.get<std::uint8_t>();
  const std::string_view bytes = in.view();
  return {reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()};
}

void put(MessageWriter& out, const codegen::Value& v, const KnownConstants& known) {
  out.put(v.name);
  put_type(out, v);
  out.put(v.is_constant);
  out.put(v.is_state);
  out.put(v.source_index);
  const bool here = known.has(v.data);
  out.put(here);
  if (here) {
    out.put(reinterpret_cast<std::uintptr_t>(v.data.data()));
    out.put<std::uint64_t>(v.data.size());
  } else {
    put_aligned(out, v.data);
  }
}

codegen::Value get_value(MessageReader& in) {
  codegen::Value v;
  v.name = in.text();
  get_type(in, v);
  v.is_constant = in.flag();
  v.is_state = in.flag();
  v.source_index = in.get<std::int64_t>();
  if (in.flag()) {
    const auto address = in.get<std::uintptr_t>();
    v.data = {reinterpret_cast<const std::byte*>(address), static_cast<std::size_t>(in.get<std::uint64_t>())};
  } else {
    v.data = get_aligned(in);
  }
  return v;
}

void put(MessageWriter& out, const codegen::Node& n) {
  for (const std::string* text : {&n.name, &n.domain, &n.op}) out.put(*text);
  out.put(n.version);
  out.list(n.inputs);
  out.list(n.outputs);
  out.list(n.attributes, [&](const auto& a) {
    out.put(a.first);
    put(out, a.second);
  });
  out.put(n.position);
}

codegen::Node get_node(MessageReader& in) {
  codegen::Node n;
  for (std::string* text : {&n.name, &n.domain, &n.op}) *text = in.text();
  n.version = in.get<std::int64_t>();
  n.inputs = in.numbers<codegen::ValueId>();
  n.outputs = in.numbers<codegen::ValueId>();
  for (auto& [name, value] : in.list([&] {
         std::string key = in.text();
         return std::pair(std::move(key), get_attribute(in));
       }))
    n.attributes.emplace(std::move(name), std::move(value));
  n.position = in.get<std::int64_t>();
  return n;
}

}  // namespace

void put_type(MessageWriter& out, const codegen::Value& v) {
  out.put(v.dtype);
  out.list(v.dims);
  out.list(v.quantisation.scales);
  out.list(v.quantisation.zero_points);
  out.put(v.quantisation.axis);
}

void get_type(MessageReader& in, codegen::Value& v) {
  v.dtype = in.choice(DType::u4);
  v.dims = in.numbers<std::int64_t>();
  v.quantisation.scales = in.numbers<float>();
  v.quantisation.zero_points = in.numbers<std::int64_t>();
  v.quantisation.axis = in.get<decltype(v.quantisation.axis)>();
}

void put(MessageWriter& out, const codegen::Region& r, const KnownConstants& known) {
  out.put(r.name);
  out.put(r.requant);
  out.list(r.values, [&](const codegen::Value& v) { put(out, v, known); });
  out.list(r.nodes, [&](const codegen::Node& n) { put(out, n); });
  out.list(r.inputs);
  out.list(r.outputs);
  out.list(r.groups, [&](const codegen::GrantedGroup& g) {
    out.put(g.pattern);
    out.list(g.nodes);
  });
}

codegen::Region get_region(MessageReader& in) {
  codegen::Region r;
  r.name = in.text();
  r.requant = static_cast<Requant>(in.get<std::underlying_type_t<Requant>>());
  r.values = in.list([&] { return get_value(in); });
  r.nodes = in.list([&] { return get_node(in); });
  r.inputs = in.numbers<codegen::ValueId>();
  r.outputs = in.numbers<codegen::ValueId>();
  r.groups = in.list([&] {
    codegen::GrantedGroup g;
    g.pattern = in.get<std::uint32_t>();
    g.nodes = in.numbers<codegen::NodeId>();
    return g;
  });
  return r;
}

void put(MessageWriter& out, const codegen::Pattern& p) {
  out.put(p.name);
  out.list(p.nodes, [&](const codegen::PatternNode& n) {
    out.put(n.domain);
    out.put(n.op);
    out.list(n.inputs);
    out.put(n.optional);
    out.put(n.commutative);
  });
}

codegen::Pattern get_pattern(MessageReader& in) {
  codegen::Pattern p;
  p.name = in.text();
  p.nodes = in.list([&] {
    codegen::PatternNode n;
    n.domain = in.text();
    n.op = in.text();
    n.inputs = in.numbers<std::int32_t>();
    n.optional = in.flag();
    n.commutative = in.flag();
    return n;
  });
  return p;
}

void put(MessageWriter& out, const codegen::Match& m) {
  out.put(m.pattern);
  out.list(m.nodes);
}

codegen::Match get_match(MessageReader& in) {
  codegen::Match m;
  m.pattern = in.get<std::uint32_t>();
  m.nodes = in.numbers<codegen::NodeId>();
  return m;
}

void put(MessageWriter& out, const codegen::Verdict& v) {
  out.put(v.claimed);
  out.put(v.reason);
  out.put(v.text);
  out.put(v.exactness);
  out.put(v.tolerance);
  out.put(v.cost);
  out.put(v.priority);
}

codegen::Verdict get_verdict(MessageReader& in) {
  codegen::Verdict v;
  v.claimed = in.flag();
  v.reason = static_cast<codegen::Reason>(in.get<std::uint32_t>());
  v.text = in.text();
  v.exactness = in.choice(codegen::Exactness::relative);
  v.tolerance = in.get<double>();
  v.cost = in.get<double>();
  v.priority = in.get<std::int32_t>();
  if (!(v.tolerance >= 0) || !(v.cost >= 0)) in.fail();
  return v;
}

void put(MessageWriter& out, const codegen::Group& g) {
  out.list(g.nodes);
  put(out, g.verdict);
  out.put(g.pattern);
}

codegen::Group get_group(MessageReader& in, std::size_t nodes, std::size_t patterns) {
  codegen::Group g;
  g.nodes = in.numbers<codegen::NodeId>();
  g.verdict = get_verdict(in);
  g.pattern = in.get<std::uint32_t>();
  for (std::size_t i = 0; i < g.nodes.size(); ++i)
    if (g.nodes[i] >= nodes || (i != 0 && g.nodes[i] <= g.nodes[i - 1])) in.fail();
  if (g.nodes.empty() || (g.pattern != codegen::kNoPattern && g.pattern >= patterns)) in.fail();
  return g;
}

void put(MessageWriter& out, const codegen::ConstantDecl& d) {
  out.put(d.symbol);
  out.put(d.element);
  out.put(d.align);
  out.put(d.region);
  out.put(d.model_data);
}

codegen::ConstantDecl get_constant(MessageReader& in) {
  codegen::ConstantDecl d;
  d.symbol = in.text();
  d.element = in.choice(DType::u4);
  d.align = in.get<std::uint32_t>();
  d.region = in.text();
  d.model_data = in.flag();
  if (d.element == DType::undefined) in.fail();
  return d;
}

void put(MessageWriter& out, const codegen::SourceDecl& d) {
  out.put(d.name);
  out.put(d.symbol);
  out.put(d.shared);
  out.put(d.standard);
  out.list(d.include_directories);
}

codegen::SourceDecl get_source(MessageReader& in) {
  codegen::SourceDecl d;
  d.name = in.text();
  d.symbol = in.text();
  d.shared = in.flag();
  d.standard = in.text();
  d.include_directories = in.texts();
  if (!is_file_name(d.name, false) || !is_standard(d.standard)) in.fail();
  return d;
}

void put(MessageWriter& out, const codegen::ArtifactDecl& d) {
  out.put(d.kind);
  out.put(d.name);
  out.list(d.defines);
}

codegen::ArtifactDecl get_artifact(MessageReader& in) {
  codegen::ArtifactDecl d;
  d.kind = in.choice(codegen::ArtifactKind::licence);
  d.name = in.text();
  d.defines = in.texts();
  const auto kind = static_cast<std::uint32_t>(d.kind);
  if (kind < 3 || kind == 5 || !is_file_name(d.name, false)) in.fail();
  return d;
}

namespace {

void put_pools(MessageWriter& out, std::uint64_t bytes, std::uint32_t align, const std::vector<std::string>& pools) {
  out.put(bytes);
  out.put(align);
  out.list(pools);
}

void put_operand(MessageWriter& out, const codegen::Operand& o) {
  out.put(o.value);
  out.put(o.private_value);
}

codegen::Operand get_operand(MessageReader& in) {
  codegen::Operand o;
  o.value = in.get<codegen::ValueId>();
  o.private_value = in.get<std::uint32_t>();
  return o;
}

}  // namespace

void put(MessageWriter& out, const codegen::PrivateValue& v) { put_pools(out, v.bytes, v.align, v.pools); }

codegen::PrivateValue get_private_value(MessageReader& in) {
  codegen::PrivateValue v;
  v.bytes = in.get<std::uint64_t>();
  v.align = in.get<std::uint32_t>();
  v.pools = in.texts();
  return v;
}

void put(MessageWriter& out, const codegen::Step& s) {
  out.put(s.symbol);
  for (const auto* operands : {&s.inputs, &s.outputs})
    out.list(*operands, [&](const codegen::Operand& o) { put_operand(out, o); });
  out.list(s.workspaces, [&](const codegen::Workspace& w) { put_pools(out, w.bytes, w.align, w.pools); });
  out.list(s.overlays, [&](const codegen::Overlay& o) {
    out.put(o.output);
    out.put(o.input);
    out.put(o.lead);
  });
  out.put(s.uses_instance);
  out.list(s.nodes);
  out.put(s.macs);
  out.put(s.kernel);
  out.put(s.instructions);
  out.put(s.kernel_bytes);
  out.put(s.remark);
}

codegen::Step get_step(MessageReader& in) {
  codegen::Step s;
  s.symbol = in.text();
  for (auto* operands : {&s.inputs, &s.outputs}) *operands = in.list([&] { return get_operand(in); });
  s.workspaces = in.list([&] {
    const codegen::PrivateValue v = get_private_value(in);
    return codegen::Workspace{v.bytes, v.align, v.pools};
  });
  s.overlays = in.list([&] {
    codegen::Overlay o;
    o.output = in.get<std::uint32_t>();
    o.input = in.get<std::uint32_t>();
    o.lead = in.get<std::uint64_t>();
    return o;
  });
  s.uses_instance = in.flag();
  s.nodes = in.numbers<codegen::NodeId>();
  s.macs = in.get<std::uint64_t>();
  s.kernel = in.text();
  s.instructions = in.get<std::uint64_t>();
  s.kernel_bytes = in.get<std::uint64_t>();
  s.remark = in.text();
  return s;
}

void put(MessageWriter& out, const codegen::PrivateLayout& l) {
  out.put(l.private_value);
  out.put(l.base);
  out.list(l.strides);
}

codegen::PrivateLayout get_private_layout(MessageReader& in) {
  codegen::PrivateLayout l;
  l.private_value = in.get<std::uint32_t>();
  l.base = in.get<std::uint64_t>();
  l.strides = in.numbers<std::int64_t>();
  return l;
}

void put(MessageWriter& out, const codegen::Instance& i) {
  out.put(i.bytes);
  out.put(i.align);
  for (const std::string* symbol : {&i.init, &i.reset, &i.deinit}) out.put(*symbol);
}

codegen::Instance get_instance(MessageReader& in) {
  codegen::Instance i;
  i.bytes = in.get<std::uint64_t>();
  i.align = in.get<std::uint32_t>();
  for (std::string* symbol : {&i.init, &i.reset, &i.deinit}) *symbol = in.text();
  return i;
}

}  // namespace byoc::plugin
