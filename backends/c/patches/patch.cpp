#include "backends/c/patches/patch.hpp"

#include <algorithm>

#include "byoc/c_text.hpp"

namespace byoc::c {
namespace {

using codegen::ValueId;

// A unit in one form: its function.
struct UnitFunction {
  codegen::Step step;
  std::vector<std::size_t> inputs;  // of the unit, for each of the step's
};

class PatchWriter {
 public:
  PatchWriter(Emitter& emitter, PartLowering& parts, const Patch& patch)
      : emitter_(emitter), parts_(parts), patch_(patch) {}

  bool write() {
    auto stripes = cut_into_stripes(emitter_.region, patch_);
    const codegen::Node& first = emitter_.region.nodes[patch_.units.front().nodes[0]];
    if (!stripes) return emitter_.error(first, "cannot be computed in stripes");
    stripes_ = std::move(*stripes);
    PartSizes sizes(workspaces_of(parts_));
    auto arena = lay_out(emitter_.region, patch_, stripes_, &sizes);
    if (!arena) return emitter_.error(first, "cannot be computed in stripes");
    arena_ = std::move(*arena);
    text_.body = "  uint8_t *const work = (uint8_t *)ws0;\n";
    for (std::size_t s = 0; s < stripes_.calls.size();) s += write_run(s);
    finish();
    return true;
  }

 private:
  [[nodiscard]] const std::vector<UnitCall>& calls(std::size_t stripe) const { return stripes_.calls[stripe]; }
  [[nodiscard]] const Unit& unit(const UnitCall& c) const { return patch_.units[c.unit]; }
  [[nodiscard]] std::size_t source(const UnitCall& c, std::size_t operand) const {
    return stripes_.sources[c.unit][operand];
  }
  [[nodiscard]] bool is_last(const UnitCall& c) const { return c.unit + 1 == patch_.units.size(); }
  [[nodiscard]] const codegen::Value& result(std::size_t unit) const {
    return emitter_.region.values[patch_.units[unit].output];
  }
  // The rows where a call reads and writes. Only places in entry and exit move on from stripe to stripe.
  [[nodiscard]] std::vector<std::int64_t> moving(std::size_t stripe) const {
    std::vector<std::int64_t> out;
    for (const UnitCall& c : calls(stripe)) {
      for (std::size_t i = 0; i < c.in.size(); ++i)
        if (source(c, i) == Stripes::kEntry) out.push_back(c.in[i]);
      if (is_last(c)) out.push_back(c.out);
    }
    return out;
  }
  [[nodiscard]] bool same_but_for_places(std::size_t a, std::size_t b) const {
    return std::equal(calls(a).begin(), calls(a).end(), calls(b).begin(), calls(b).end(),
                      [&](const UnitCall& x, const UnitCall& y) {
                        if (x.unit != y.unit || x.rows != y.rows || x.keep != y.keep) return false;
                        for (std::size_t i = 0; i < x.in.size(); ++i)
                          if (source(x, i) != Stripes::kEntry && x.in[i] != y.in[i]) return false;
                        return is_last(x) || x.out == y.out;
                      });
  }
  static std::vector<std::int64_t> minus(std::vector<std::int64_t> a, const std::vector<std::int64_t>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
    return a;
  }

  // The stripes from `first` on that differ by where they read and write, the same distance each. Returns how many.
  std::size_t write_run(std::size_t first) {
    std::size_t count = 1;
    std::vector<std::int64_t> steps(moving(first).size(), 0);
    while (first + count < stripes_.calls.size() && same_but_for_places(first, first + count)) {
      const auto step = minus(moving(first + count), moving(first + count - 1));
      if (count == 1) steps = step;
      if (step != steps) break;
      ++count;
    }
    const bool loop = count > 1;
    const std::string indent = loop ? "    " : "  ";
    if (loop) text_.body += "  for (int32_t i = 0; i < " + std::to_string(count) + "; ++i) {\n";
    std::size_t place = 0;
    for (const UnitCall& c : calls(first)) write_call(c, indent, steps, place);
    if (loop) text_.body += "  }\n";
    return count;
  }

  [[nodiscard]] std::uint64_t buffer_at(std::size_t unit, std::int64_t row) const {
    return arena_.buffers[unit] + static_cast<std::uint64_t>(row * row_bytes(result(unit)));
  }
  // "in0 + 96 + i * 32": a place in the entry or the exit.
  [[nodiscard]] std::string whole(const char* name, ValueId v, std::int64_t row, std::int64_t step) const {
    const std::int64_t elements = row_elements(emitter_.region.values[v]);
    std::string out = name;
    if (row != 0) out += " + " + std::to_string(row * elements);
    if (step != 0) out += " + i * " + std::to_string(step * elements);
    return out;
  }
  // A place in the rows of a unit's result.
  [[nodiscard]] std::string in_buffer(std::size_t unit, std::int64_t row, const char* qualifier) const {
    return "(" + std::string(qualifier) + std::string(c_type(result(unit).dtype)) + " *)(work + " +
           std::to_string(buffer_at(unit, row)) + ")";
  }

  void write_call(const UnitCall& c, const std::string& indent, const std::vector<std::int64_t>& steps,
                  std::size_t& place) {
    if (c.keep.rows != 0) {
      text_.includes.insert("<string.h>");
      text_.body += indent + "memmove(work + " + std::to_string(buffer_at(c.unit, 0)) + ", work + " +
                    std::to_string(buffer_at(c.unit, c.keep.from)) + ", " +
                    std::to_string(c.keep.rows * row_bytes(result(c.unit))) + ");\n";
    }
    std::vector<std::string> operands;
    for (std::size_t i = 0; i < c.in.size(); ++i)
      operands.push_back(source(c, i) == Stripes::kEntry ? whole("in0", patch_.entry, c.in[i], steps[place++])
                                                         : in_buffer(source(c, i), c.in[i], "const "));
    const std::string to =
        is_last(c) ? whole("out0", patch_.exit(), c.out, steps[place++]) : in_buffer(c.unit, c.out, "");
    const UnitFunction& f = function(c);
    std::string arguments;
    for (const std::size_t i : f.inputs) arguments += operands[i] + ", ";
    arguments += to;
    std::uint64_t at = arena_.workspaces[c.unit];
    for (const codegen::Workspace& w : f.step.workspaces) {
      arguments += ", work + " + std::to_string(at);
      at += (w.bytes + kArenaAlign - 1) / kArenaAlign * kArenaAlign;
    }
    text_.body += indent + "if (" + f.step.symbol + "(" + arguments + ") != 0) return 1;\n";
  }

  // The function of a unit in this form; each is written once. lay_out() has lowered it before.
  const UnitFunction& function(const UnitCall& c) {
    const auto [at, fresh] = functions_.try_emplace({c.unit, c.rows});
    if (!fresh) return at->second;
    auto part = parts_.lower(unit(c), c.rows, &emitter_.host());
    UnitFunction& f = at->second;
    f.step = std::move(part->step);
    for (const codegen::Operand& o : f.step.inputs) {
      const std::vector<ValueId>& in = unit(c).inputs;
      f.inputs.push_back(static_cast<std::size_t>(std::find(in.begin(), in.end(), o.value) - in.begin()));
    }
    text_.functions += part->text.functions;
    text_.includes.insert(part->text.includes.begin(), part->text.includes.end());
    text_.declarations.insert(part->text.declarations.begin(), part->text.declarations.end());
    return f;
  }

  void finish() {
    codegen::Step step;
    for (const Unit& u : patch_.units)
      for (const codegen::NodeId n : u.nodes) {
        step.nodes.push_back(n);
        const ValueId v = emitter_.region.nodes[n].outputs[0];
        if (v != patch_.exit()) emitter_.fused(v, patch_.exit());
      }
    std::sort(step.nodes.begin(), step.nodes.end());
    step.symbol = emitter_.host().claim("patch_" + std::to_string(step.nodes[0]));
    step.inputs = {{patch_.entry}};
    step.outputs = {{patch_.exit()}};
    step.workspaces = {{arena_.bytes, kArenaAlign, {}}};
    const std::uint64_t lead = lead_of(stripes_);
    if (lead < emitter_.region.values[patch_.exit()].bytes()) step.overlays = {{0, 0, lead}};
    for (const auto& stripe : stripes_.calls)
      for (const UnitCall& c : stripe) step.macs += functions_.at({c.unit, c.rows}).step.macs;
    step.kernel = std::to_string(patch_.units.size()) + " layers by " + std::to_string(patch_.rows) +
                  (patch_.rows == 1 ? " row" : " rows");
    const codegen::Node& last = emitter_.region.nodes[step.nodes.back()];
    emitter_.step(last, std::move(step), text_);
  }

  Emitter& emitter_;
  PartLowering& parts_;
  const Patch& patch_;
  Stripes stripes_;
  Arena arena_;
  std::map<std::pair<std::size_t, UnitRows>, UnitFunction> functions_;
  StepText text_;
};

}  // namespace

bool lower_patch(Emitter& emitter, PartLowering& parts, const Patch& patch) {
  return PatchWriter(emitter, parts, patch).write();
}

}  // namespace byoc::c
