#include "sdk/codegen/plugin/record/session_record.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "sdk/base/support/frame.hpp"
#include "sdk/base/support/message.hpp"
#include "sdk/base/support/target_message.hpp"

namespace byoc::plugin {
namespace {

// Numbers are as this machine has them.
static_assert(std::endian::native == std::endian::little);

constexpr FrameFormat kFormat{"recorded session", "byocrec\n"};
constexpr std::uint32_t kMostRegions = 1u << 20;

void add(MessageWriter& out, const Identity& i) {
  out.put(i.size);
  out.put(i.high);
  out.put(i.low);
}
Identity get_identity(MessageReader& in) {
  Identity out;
  for (std::uint64_t* part : {&out.size, &out.high, &out.low}) *part = in.get<std::uint64_t>();
  return out;
}

// FlatBuffers have no more.
constexpr std::uint64_t kMostBytesOfTflite = std::uint64_t{1} << 31;

bool is_left_out(const codegen::TfliteForm::Content& c, std::uint64_t kept) {
  return c.value != codegen::kNoValue || c.size > kept;
}

// Calls `keep` with offset and size of every part of the form that is not left out.
template <class F>
void each_kept(std::span<const codegen::TfliteForm::Content> contents, std::uint64_t size, std::uint64_t kept,
               const F& keep) {
  std::uint64_t at = 0;
  for (const auto& c : contents) {
    if (!is_left_out(c, kept)) continue;
    keep(at, c.offset - at);
    at = c.offset + c.size;
  }
  keep(at, size - at);
}

void add(MessageWriter& out, const codegen::TfliteForm& form, std::uint64_t kept) {
  out.put(form.refusal);
  out.put<std::uint64_t>(form.bytes.size());
  out.put(kept);
  out.list(form.contents, [&](const codegen::TfliteForm::Content& c) {
    out.put(c.offset);
    out.put(c.size);
    out.put(c.value);
  });
  std::string bytes;
  each_kept(form.contents, form.bytes.size(), kept, [&](std::uint64_t at, std::uint64_t size) {
    bytes.append(reinterpret_cast<const char*>(form.bytes.data()) + at, size);
  });
  out.put(bytes);
}

codegen::TfliteForm get_tflite(MessageReader& in, std::size_t values) {
  codegen::TfliteForm out;
  out.refusal = in.text();
  const auto size = in.get<std::uint64_t>();
  const auto kept = in.get<std::uint64_t>();
  std::uint64_t end = 0, left_out = 0;
  out.contents = in.list([&] {
    codegen::TfliteForm::Content c;
    c.offset = in.get<std::uint64_t>();
    c.size = in.get<std::uint64_t>();
    c.value = in.get<codegen::ValueId>();
    const bool inside = c.offset >= end && c.offset <= size && c.size <= size - c.offset;
    if (!inside || (c.value != codegen::kNoValue && c.value >= values)) in.fail();
    end = c.offset + c.size;
    if (is_left_out(c, kept)) left_out += c.size;
    return c;
  });
  const std::vector<std::byte> bytes = in.blob();
  if (in.ok() && (size > kMostBytesOfTflite || bytes.size() != size - left_out)) in.fail();
  if (!in.ok()) return {};
  out.bytes.resize(size);
  auto from = bytes.begin();
  each_kept(out.contents, size, kept, [&](std::uint64_t at, std::uint64_t n) {
    std::copy_n(from, n, out.bytes.begin() + static_cast<std::ptrdiff_t>(at));
    from += static_cast<std::ptrdiff_t>(n);
  });
  return out;
}

void add(MessageWriter& out, const RecordedRegion& r, std::uint64_t kept) {
  put(out, r.region, KnownConstants());
  out.list(r.constants, [&](const RecordedRegion::Constant& c) {
    add(out, c.identity);
    out.put(c.kept);
    if (c.kept) out.put(std::string_view(reinterpret_cast<const char*>(c.bytes.data()), c.bytes.size()));
  });
  out.put(r.tflite.has_value());
  if (r.tflite) add(out, *r.tflite, kept);
}

// True if the dim is open and has a name: only a run knows its length.
bool is_open(std::int64_t dim, std::size_t symbols) {
  return dim < 0 && static_cast<std::uint64_t>(-1 - dim) < symbols;
}

// Bytes of a value with each of its open dims as 1, or nothing where no constant could have as many.
std::optional<std::uint64_t> size_of(const codegen::Value& v, std::size_t symbols) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
  std::uint64_t n = 1;
  for (const std::int64_t d : v.dims) {
    if (!v.is_constant && is_open(d, symbols)) continue;
    if (d < 0 || __builtin_mul_overflow(n, static_cast<std::uint64_t>(d), &n) || n > kMost) return std::nullopt;
  }
  return (n * bit_width(v.dtype) + 7) / 8;
}

// Whoever is given it may use its ids and sizes without looking.
bool is_sound(const RecordedRegion& r) {
  const codegen::Region& region = r.region;
  const auto is_value = [&](codegen::ValueId v) { return v < region.values.size(); };
  const auto is_operand = [&](codegen::ValueId v) { return v == codegen::kNoValue || is_value(v); };
  const auto all = [](const auto& list, const auto& test) { return std::all_of(list.begin(), list.end(), test); };
  if (!all(region.inputs, is_value) || !all(region.outputs, is_value)) return false;
  for (const codegen::Node& n : region.nodes)
    if (!all(n.inputs, is_operand) || !all(n.outputs, is_operand)) return false;
  for (const codegen::GrantedGroup& g : region.groups)
    if (!all(g.nodes, [&](codegen::NodeId n) { return n < region.nodes.size(); })) return false;
  std::size_t constants = 0;
  for (const codegen::Value& v : region.values) {
    const auto size = size_of(v, region.symbols.size());
    const Quantisation& q = v.quantisation;
    const bool per_axis = q.axis >= 0 && static_cast<std::size_t>(q.axis) < v.dims.size();
    if (!size || !v.data.empty() || q.scales.size() != q.zero_points.size() || (q.axis >= 0 && !per_axis)) return false;
    if (!v.is_constant) continue;
    if (constants == r.constants.size()) return false;
    const RecordedRegion::Constant& c = r.constants[constants++];
    if (c.identity.size != *size || (c.kept && c.bytes.size() != *size)) return false;
  }
  return constants == r.constants.size();
}

RecordedRegion get_region(MessageReader& in) {
  RecordedRegion out;
  out.region = get<codegen::Region>(in);
  out.constants = in.list([&] {
    RecordedRegion::Constant c;
    c.identity = get_identity(in);
    c.kept = in.flag();
    if (c.kept) c.bytes = in.blob();
    return c;
  });
  if (in.flag()) out.tflite = get_tflite(in, out.region.values.size());
  if (in.ok() && !is_sound(out)) in.fail();
  return out;
}

void add(MessageWriter& out, const RecordedSaying& s) {
  out.put(s.kind);
  out.put(s.label);
  out.put(s.message);
  add(out, s.content);
  out.put(s.answer);
  out.put(s.refused);
}
RecordedSaying get_saying(MessageReader& in) {
  RecordedSaying s;
  s.kind = in.choice(Tell::replace);
  s.label = in.text();
  s.message = in.text();
  s.content = get_identity(in);
  s.answer = in.text();
  s.refused = in.flag();
  return s;
}

void add(MessageWriter& out, const RecordedCall& c) {
  out.put(c.what);
  out.list(c.regions);
  out.list(c.matches, [&](const codegen::Match& m) { put(out, m); });
  out.put(c.objective);
  out.put(c.internal_header);
  out.put(c.prefix);
  out.put(c.memory_budget);
  out.put(c.attempt);
  out.list(c.said, [&](const RecordedSaying& s) { add(out, s); });
  out.put(c.ok);
  out.list(c.verdicts, [&](const codegen::Verdict& v) { put(out, v); });
  out.list(c.groups, [&](const codegen::Group& g) { put(out, g); });
}

RecordedCall get_call(MessageReader& in, const std::vector<RecordedRegion>& regions) {
  RecordedCall c;
  c.what = in.choice(Ask::destroy);
  c.regions = in.numbers<std::uint32_t>();
  c.matches = in.list([&] { return get<codegen::Match>(in); });
  c.objective = in.choice(Objective::size);
  c.internal_header = in.text();
  c.prefix = in.text();
  c.memory_budget = in.get<std::uint64_t>();
  c.attempt = in.get<std::uint32_t>();
  c.said = in.list([&] { return get_saying(in); });
  c.ok = in.flag();
  c.verdicts = in.list([&] { return get<codegen::Verdict>(in); });
  c.groups = in.list([&] { return get<codegen::Group>(in); });
  const bool of_model = c.what == Ask::verdicts || c.what == Ask::groups;
  const bool known = of_model || c.what == Ask::update || c.what == Ask::compile;
  if (!known || (of_model && c.regions.size() != 1) || c.regions.empty()) in.fail();
  for (const std::uint32_t r : c.regions)
    if (r >= regions.size()) in.fail();
  if (!in.ok()) return c;
  const std::size_t nodes = regions[c.regions[0]].region.nodes.size();
  for (const codegen::Match& m : c.matches)
    for (const codegen::NodeId n : m.nodes)
      if (n != codegen::kNoNode && n >= nodes) in.fail();
  return c;
}

}  // namespace

bool withholds(const RecordedRegion& region) {
  return std::any_of(region.constants.begin(), region.constants.end(),
                     [](const RecordedRegion::Constant& c) { return !c.kept; });
}

RecordedRegion record_region(const codegen::Region& region, std::uint64_t kept) {
  RecordedRegion out{region, {}};
  if (region.source != nullptr) out.tflite = region.source->as_tflite(region);
  out.region.source = nullptr;
  for (codegen::Value& v : out.region.values) {
    const std::span<const std::byte> data = std::exchange(v.data, {});
    if (!v.is_constant) continue;
    RecordedRegion::Constant c{identify(data), data.size() <= kept, {}};
    if (c.kept) c.bytes.assign(data.begin(), data.end());
    out.constants.push_back(std::move(c));
  }
  return out;
}

std::string write_record(const SessionRecord& record) {
  MessageWriter body;
  body.put(record.host);
  body.put(record.id);
  body.put(record.version);
  put_portable(body, record.target);
  body.put(record.options);
  body.put(record.kept);
  body.list(record.regions, [&](const RecordedRegion& r) { add(body, r, record.kept); });
  body.list(record.calls, [&](const RecordedCall& c) { add(body, c); });
  return frame_record(body.bytes());
}

std::string frame_record(std::string_view body) {
  std::string out(kFrameHeadBytes, '\0');
  out += body;
  finish_frame(std::as_writable_bytes(std::span(out)), kFormat);
  return out;
}

Result<SessionRecord> read_record(std::string_view bytes, const std::string& file, Diagnostics& diags) {
  const auto block = std::as_bytes(std::span(bytes));
  if (!read_frame_head(block, kFormat)) return diags.error(file, {}, "is no recorded session");
  if (!open_frame(block, kFormat, FrameEnd::of_block, file, diags)) return failure;
  MessageReader in(bytes.substr(kFrameHeadBytes));
  SessionRecord out;
  for (std::string* text : {&out.host, &out.id, &out.version}) *text = in.text();
  out.target = get_portable_target(in);
  if (out.target.pointer_width != 32 && out.target.pointer_width != 64) in.fail();
  out.options = in.text_map();
  out.kept = in.get<std::uint64_t>();
  out.regions = in.list([&] { return get_region(in); });
  if (out.regions.size() > kMostRegions) in.fail();
  out.calls = in.list([&] { return get_call(in, out.regions); });
  if (!in.ended()) return diags.error(file, {}, "is a recorded session that contradicts itself");
  return out;
}

}  // namespace byoc::plugin
