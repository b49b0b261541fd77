#include "sdk/program/bytecode/file.hpp"

#include <algorithm>
#include <cstring>

#include "sdk/base/support/frame.hpp"
#include "sdk/base/support/little_endian.hpp"
#include "sdk/base/support/message.hpp"
#include "sdk/model/ir/text.hpp"

namespace byoc::bytecode {
namespace {

constexpr FrameFormat kFormat{"bytecode", "BYOCVM\r\n"};
constexpr std::uint64_t kSectionAlign = 64;
constexpr std::size_t kHeader = kFrameHeadBytes;
constexpr std::size_t kEntry = 32;
constexpr std::size_t kConstantRow = 24;
constexpr std::uint32_t kLate = 1;  // a flag of such a row

enum Section : std::uint32_t { model = 1, types, graphs, constants, primitives, states, functions };
constexpr std::uint32_t kSections = functions;

std::uint64_t aligned(std::uint64_t n) { return (n + kSectionAlign - 1) / kSectionAlign * kSectionAlign; }

void put_words(MessageWriter& to, const std::vector<std::uint32_t>& words) { to.list(words); }

std::string write_model(const Module& m) {
  MessageWriter w;
  w.put(m.name);
  w.put(m.prefix);
  w.put(m.instance_bytes);
  return w.take();
}

std::string write_graphs(const Module& m) {
  MessageWriter w;
  w.list(m.graphs, [&](const ir::Graph& g) { w.put(ir::print(g)); });
  return w.take();
}

// In version 2, of bytecode that binds constants, the layout follows the count. Each row has u64 offset from the start
// of the section, u64 size, u32 type, u32 flags; the bytes follow the rows. The offset of a bound constant is one in
// the bound data.
std::string write_constants(const Module& m) {
  const bool binds = m.binds_constants();
  std::uint64_t at = aligned(8 + (binds ? m.layout.size() : 0) + kConstantRow * m.constants.size());
  MessageWriter w;
  w.put<std::uint64_t>(m.constants.size());
  for (std::size_t i = 0; binds && i < m.layout.size(); ++i) w.put(m.layout[i]);
  for (const Constant& c : m.constants) {
    w.put(c.late.value_or(at));
    w.put<std::uint64_t>(c.late ? m.type(c.type).bytes() : c.bytes.size());
    w.put(c.type);
    w.put<std::uint32_t>(c.late ? kLate : 0);
    if (!c.late) at = aligned(at + c.bytes.size());
  }
  std::string out = w.take();
  for (const Constant& c : m.constants) {
    if (c.late) continue;
    out.resize(aligned(out.size()));
    out.append(reinterpret_cast<const char*>(c.bytes.data()), c.bytes.size());
  }
  return out;
}

// In version 2, of bytecode with open steps, a row is followed by the operands of an open step.
std::string write_primitives(const Module& m) {
  const bool opens = m.opens();
  MessageWriter w;
  w.list(m.primitives, [&](const Primitive& p) {
    w.put(p.name);
    w.put(p.inputs);
    w.list(p.operands);
    w.list(p.workspaces);
    w.put<std::uint8_t>(p.uses_instance ? 1 : 0);
    w.put(p.instance_offset);
    if (!opens) return;
    w.put(p.open.has_value());
    if (!p.open) return;
    w.list(p.open->operands);
    w.list(p.open->lengths, [&](const OpenOperands::Length& l) {
      w.put(l.operand);
      w.put(l.axis);
    });
  });
  return w.take();
}

std::string write_states(const Module& m) {
  MessageWriter w;
  w.list(m.states, [&](const State& s) {
    w.put(s.type);
    w.put(s.constant);
  });
  return w.take();
}

std::string write_functions(const Module& m) {
  MessageWriter w;
  w.list(m.functions, [&](const Function& f) {
    w.put(f.name);
    put_words(w, f.parameters);
    put_words(w, f.results);
    w.put(f.registers);
    w.put(f.graph);
    w.list(f.code, [&](const Instruction& i) {
      w.put(static_cast<std::uint32_t>(i.op));
      put_words(w, i.words);
    });
  });
  return w.take();
}

class Reader {
 public:
  Reader(const Blob& bytes, const std::string& file, Diagnostics& diags)
      : blob_(bytes), bytes_(bytes.bytes()), file_(file), diags_(diags) {}

  Result<Module> run() {
    if (!check_header() || !check_table()) return failure;
    Module m;
    if (!read_model(m) || !read_texts(m) || !read_constants(m) || !read_primitives(m) || !read_states(m) ||
        !read_functions(m) || !verify(m, file_, diags_))
      return failure;
    const std::vector<std::byte> again = write(m);
    if (!std::equal(again.begin(), again.end(), bytes_.begin(), bytes_.end()))
      return error({}, "is not written as this version writes it");
    return m;
  }

 private:
  Failure error(const std::string& where, const std::string& what, const std::string& found = {},
                const std::string& expected = {}) {
    return diags_.error(file_, where, what, found, expected);
  }

  Result<void> check_header() {
    if (!is_bytecode(bytes_)) return error({}, "is no bytecode of byoc");
    if (!open_frame(bytes_, kFormat, FrameEnd::of_block, file_, diags_)) return failure;
    if (bytes_.size() < kHeader + kEntry * kSections) return error({}, "has no table of sections");
    return {};
  }

  Result<void> check_table() {
    for (std::uint32_t s = 0; s < kSections; ++s) {
      const std::size_t at = kHeader + kEntry * s;
      const std::string name = "section " + std::to_string(s + 1);
      if (const auto id = get_number<std::uint32_t>(bytes_, at); id != s + 1)
        return error(name, "has another id", std::to_string(id), std::to_string(s + 1));
      const std::uint32_t newest = s + 1 == constants || s + 1 == primitives ? 2 : 1;
      if (const auto v = get_number<std::uint32_t>(bytes_, at + 4); v == 0 || v > newest)
        return error(name, "has another version", std::to_string(v), newest == 1 ? "1" : "1 or 2");
      const auto offset = get_number<std::uint64_t>(bytes_, at + 8),
                 length = get_number<std::uint64_t>(bytes_, at + 16);
      if (offset > bytes_.size() || length > bytes_.size() - offset)
        return error(name, "lies outside the file", std::to_string(offset) + " + " + std::to_string(length),
                     std::to_string(bytes_.size()));
      sections_.push_back({offset, length});
    }
    return {};
  }

  std::span<const std::byte> section(std::uint32_t id) const {
    return bytes_.subspan(sections_[id - 1].offset, sections_[id - 1].length);
  }
  std::uint32_t version(std::uint32_t id) const {
    return get_number<std::uint32_t>(bytes_, kHeader + kEntry * (id - 1) + 4);
  }
  std::string_view text(std::uint32_t id) const {
    return {reinterpret_cast<const char*>(section(id).data()), section(id).size()};
  }
  Failure cut_off(std::uint32_t id) { return error("section " + std::to_string(id), "does not hold what it states"); }

  Result<void> read_model(Module& m) {
    MessageReader r(text(model));
    m.name = r.text();
    m.prefix = r.text();
    m.instance_bytes = r.get<std::uint64_t>();
    return r.ended() ? Result<void>() : cut_off(model);
  }

  Result<void> read_texts(Module& m) {
    auto parsed = ir::parse(text(types), file_, diags_);
    if (!parsed) return failure;
    m.types = std::move(*parsed);
    MessageReader r(text(graphs));
    for (const std::string& t : r.texts()) {
      auto graph = ir::parse(t, file_, diags_);
      if (!graph) return failure;
      m.graphs.push_back(std::move(*graph));
    }
    return r.ended() ? Result<void>() : cut_off(graphs);
  }

  Result<void> read_constants(Module& m) {
    const auto own = section(constants);
    if (own.size() < 8) return cut_off(constants);
    const auto count = get_number<std::uint64_t>(own, 0);
    const bool binds = version(constants) == 2;
    const std::size_t first = 8 + (binds ? m.layout.size() : 0);
    if (own.size() < first || count > (own.size() - first) / kConstantRow) return cut_off(constants);
    if (binds) m.layout = get_number<decltype(m.layout)>(own, 8);
    for (std::uint64_t c = 0; c < count; ++c) {
      const std::size_t at = first + kConstantRow * c;
      const auto offset = get_number<std::uint64_t>(own, at), size = get_number<std::uint64_t>(own, at + 8);
      if (binds && get_number<std::uint32_t>(own, at + 20) == kLate) {
        m.constants.push_back({get_number<std::uint32_t>(own, at + 16), {}, offset});
        continue;
      }
      if (offset > own.size() || size > own.size() - offset) return cut_off(constants);
      m.constants.push_back(
          {get_number<std::uint32_t>(own, at + 16), blob_.slice(sections_[constants - 1].offset + offset, size)});
    }
    return {};
  }

  Result<void> read_primitives(Module& m) {
    MessageReader r(text(primitives));
    const bool opens = version(primitives) == 2;
    m.primitives = r.list([&] {
      Primitive p;
      p.name = r.text();
      p.inputs = r.get<std::uint32_t>();
      p.operands = r.numbers<std::uint64_t>();
      p.workspaces = r.numbers<std::uint64_t>();
      p.uses_instance = r.flag();
      p.instance_offset = r.get<std::uint64_t>();
      if (!opens || !r.flag()) return p;
      p.open.emplace();
      p.open->operands = r.numbers<std::uint32_t>();
      p.open->lengths = r.list([&] {
        OpenOperands::Length l;
        l.operand = r.get<std::uint32_t>();
        l.axis = r.get<std::uint32_t>();
        return l;
      });
      return p;
    });
    return r.ended() ? Result<void>() : cut_off(primitives);
  }

  Result<void> read_states(Module& m) {
    MessageReader r(text(states));
    m.states = r.list([&] {
      State s;
      s.type = r.get<std::uint32_t>();
      s.constant = r.get<std::uint32_t>();
      return s;
    });
    return r.ended() ? Result<void>() : cut_off(states);
  }

  Result<void> read_functions(Module& m) {
    MessageReader r(text(functions));
    m.functions = r.list([&] {
      Function f;
      f.name = r.text();
      f.parameters = r.numbers<std::uint32_t>();
      f.results = r.numbers<std::uint32_t>();
      f.registers = r.get<std::uint32_t>();
      f.graph = r.get<std::uint32_t>();
      f.code = r.list([&] {
        const auto op = static_cast<Op>(r.get<std::uint32_t>());
        return Instruction{op, r.numbers<std::uint32_t>()};
      });
      return f;
    });
    return r.ended() ? Result<void>() : cut_off(functions);
  }

  struct Extent {
    std::uint64_t offset, length;
  };
  const Blob& blob_;
  std::span<const std::byte> bytes_;
  const std::string& file_;
  Diagnostics& diags_;
  std::vector<Extent> sections_;
};

}  // namespace

std::vector<std::byte> write(const Module& m) {
  const std::string parts[kSections] = {write_model(m),      ir::print(m.types), write_graphs(m),   write_constants(m),
                                        write_primitives(m), write_states(m),    write_functions(m)};
  std::vector<std::byte> out(kHeader + kEntry * kSections);
  for (std::uint32_t s = 0; s < kSections; ++s) {
    const std::uint64_t offset = aligned(out.size());
    out.resize(offset + parts[s].size());
    if (!parts[s].empty()) std::memcpy(out.data() + offset, parts[s].data(), parts[s].size());
    const std::size_t at = kHeader + kEntry * s;
    put_number(out, at, s + 1);
    const bool second = (s + 1 == constants && m.binds_constants()) || (s + 1 == primitives && m.opens());
    put_number<std::uint32_t>(out, at + 4, second ? 2 : 1);
    put_number(out, at + 8, offset);
    put_number<std::uint64_t>(out, at + 16, parts[s].size());
  }
  finish_frame(out, kFormat);
  return out;
}

bool is_bytecode(std::span<const std::byte> bytes) { return read_frame_head(bytes, kFormat).has_value(); }

Result<Module> read(const Blob& bytes, const std::string& file, Diagnostics& diags) {
  return Reader(bytes, file, diags).run();
}

}  // namespace byoc::bytecode
