#include "sdk/export/bind_constants.hpp"

#include <algorithm>
#include <bit>
#include <map>

#include "sdk/base/support/sha256.hpp"

namespace byoc {
namespace {

// A hash of everything that determines how the constants are read.
class LayoutHash {
 public:
  void add(const std::string& text) {
    const std::string framed = std::to_string(text.size()) + ":" + text;
    hash_.update(std::as_bytes(std::span(framed)));
  }
  void add(std::uint64_t number) { add(std::to_string(number)); }
  template <class T>
  void add_all(const std::vector<T>& list) {
    add(list.size());
    for (const T& item : list) add(item);
  }
  void add(std::uint32_t number) { add(std::uint64_t{number}); }
  void add(std::int64_t number) { add(std::to_string(number)); }
  void add(float number) { add(std::bit_cast<std::uint32_t>(number)); }
  void add(const plan::Operand& o) {
    for (const std::uint64_t part : {static_cast<std::uint64_t>(o.place), std::uint64_t{o.index}, o.offset, o.bytes,
                                     static_cast<std::uint64_t>(o.dtype)})
      add(part);
  }
  void add(const plan::Move& m) {
    add(m.to);
    add(m.from);
  }
  void add(const plan::CarriedValue& c) {
    for (const std::uint64_t part :
         {std::uint64_t{c.input}, std::uint64_t{c.output}, c.bytes, std::uint64_t{c.in_place}, c.second})
      add(part);
  }
  void add(const plan::Sliced& s) {
    for (const std::uint64_t part : {std::uint64_t{s.operand}, s.elements, std::uint64_t{s.backwards}}) add(part);
  }
  void add(const plan::Control& c) {
    add(static_cast<std::uint64_t>(c.kind));
    add_all(c.bodies);
    add(c.condition ? *c.condition + std::uint64_t{1} : 0);
    add(c.trip_count ? *c.trip_count + std::uint64_t{1} : 0);
    add(c.rounds ? *c.rounds + 1 : 0);
    add_all(c.carried);
    add_all(c.scanned);
    add_all(c.captured);
    add_all(c.stacked);
  }
  void add(const plan::Call& c) {
    add(c.step.symbol);
    add_all(c.inputs);
    add_all(c.outputs);
    add_all(c.workspaces);
    add(c.uses_instance ? c.instance_offset + 1 : 0);
    if (c.control) add(*c.control);
  }
  void add(const plan::Tensor& t) {
    add(static_cast<std::uint64_t>(t.dtype));
    add_all(t.dims);
    add_all(t.quantisation.scales);
    add_all(t.quantisation.zero_points);
  }
  void add(const plan::Routine& r) {
    add(r.symbol);
    add_all(r.inputs);
    add_all(r.outputs);
    add_all(r.calls);
    add_all(r.moves);
  }
  [[nodiscard]] std::array<std::uint8_t, 16> finish() {
    const auto whole = hash_.finish();
    std::array<std::uint8_t, 16> out{};
    std::copy_n(whole.begin(), out.size(), out.begin());
    return out;
  }

 private:
  Sha256 hash_;
};

}  // namespace

Result<BoundConstants> bind_constants(const plugin::Compilation& compilation, const plan::Program& program,
                                      const std::string& prefix, Diagnostics& diags) {
  BoundConstants out;
  LayoutHash hash;
  hash.add("byoc weights 2");
  for (const ConstantArtifact& c : compilation.constants) {
    if (!c.moves) continue;
    const std::uint32_t align = std::max(c.align, 4U);
    out.bytes = (out.bytes + align - 1) / align * align;
    out.align = std::max(out.align, align);
    out.constants.push_back({c.symbol, out.bytes, align, c.element, c.model_data, c.bytes});
    hash.add(c.symbol);
    hash.add(out.bytes);
    hash.add(c.bytes.size());
    hash.add(static_cast<std::uint64_t>(c.element));
    out.bytes += c.bytes.size();
  }
  if (out.constants.empty())
    return diags.error({}, "--weights-blob", "no constant of the model can leave the library",
                       constants_that_stay(compilation));
  for (const plugin::SourceArtifact& s : compilation.sources) {
    hash.add(s.decl.symbol);
    hash.add(s.text);
  }
  for (const auto& [name, text] : compilation.headers) {
    hash.add(name);
    hash.add(text);
  }
  hash.add(program.main);
  hash.add_all(program.bodies);
  hash.add(prefix);
  out.layout = hash.finish();
  return out;
}

std::string constants_that_stay(const plugin::Compilation& compilation) {
  std::map<std::string, std::vector<std::string>> of;
  for (const ConstantArtifact& c : compilation.constants)
    if (!c.moves) of[c.codegen].push_back(c.symbol);
  std::string out;
  for (const auto& [codegen, symbols] : of) {
    out += (out.empty() ? "" : "; ") + symbols.front();
    if (symbols.size() > 1) out += " and " + std::to_string(symbols.size() - 1) + " more";
    out += " of codegen '" + codegen + "'";
  }
  return out;
}

}  // namespace byoc
