#include "sdk/program/executor/graph/graph_of_program.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "sdk/base/support/json.hpp"

namespace byoc::executor {
namespace {

constexpr byoc_dl_data_type_t kByte{BYOC_DL_UINT, 8, 1};

// The current contents of a buffer.
struct Live {
  std::uint32_t entry = 0;
  std::uint64_t bytes = 0;
  ir::ValueId value = ir::kNoValue;
};

class Builder {
 public:
  Builder(const PrintRequest& request, Diagnostics& diags)
      : request_(request), program_(request.program), diags_(diags) {}

  Result<ProgramGraph> run() {
    const std::size_t before = diags_.errors();
    refuse();
    if (diags_.errors() != before) return failure;
    find_shapes();
    for (const plan::Call& c : program_.main.calls) symbols_.insert(c.step.symbol);
    add_arguments();
    for (const plan::Call& c : program_.main.calls) add_call(c);
    for (const plan::Move& m : program_.main.moves) add_move(m);
    for (std::uint32_t i = 0; i < program_.main.outputs.size(); ++i)
      json_.heads.push_back(ref(find({Place::output, i, 0, program_.main.outputs[i].bytes})));
    json_.first_entry.push_back(static_cast<std::uint32_t>(json_.entries.size()));
    assign_storage(json_, own_);
    json_.metadata["byoc"] = metadata();
    return std::move(out_);
  }

 private:
  void refuse() {
    for (const plan::Call& c : program_.main.calls)
      if (c.control)
        diags_.error(program_.file, c.control->node, "control flow cannot be run by executor 'graph'", {},
                     "--executor vm or aot");
    for (const plan::InstancePart& p : program_.instance.parts)
      if (!p.init.empty() || !p.reset.empty() || !p.deinit.empty())
        diags_.error(program_.file, p.init.empty() ? p.reset.empty() ? p.deinit : p.reset : p.init,
                     "a function that begins or ends an instance cannot be called by executor 'graph'", {},
                     "--executor aot");
  }

  // The dims that a Program says of its values.
  void find_shapes() {
    for (const auto* list : {&program_.main.inputs, &program_.main.outputs})
      for (const plan::Tensor& t : *list) shapes_[t.value] = t.dims;
    for (const plan::Call& c : program_.main.calls)
      for (const StoredTensor& t : c.step.results) shapes_.emplace(t.value, t.dims);
  }

  // With as many dims as are known; as bytes if the format has no such element type.
  GraphJsonEntry entry_of(DType dtype, ir::ValueId value, std::uint64_t bytes) const {
    const auto type = packed_type(dtype);
    if (!type || is_small(dtype)) return {{static_cast<std::int64_t>(bytes)}, kByte, 0};
    if (const auto found = shapes_.find(value); value != ir::kNoValue && found != shapes_.end())
      if (tensor_bytes(*type, found->second) == bytes) return {found->second, *type, 0};
    return {{static_cast<std::int64_t>(bytes / element_bytes(*type))}, *type, 0};
  }

  std::string unique(const std::string& name) {
    std::string out = name.empty() ? "tensor" : name;
    for (std::size_t& i = counts_[name]; !names_.insert(out).second;) out = name + "_" + std::to_string(++i + 1);
    return out;
  }

  GraphJsonRef ref(std::uint32_t entry) const {
    const auto after = std::upper_bound(json_.first_entry.begin(), json_.first_entry.end(), entry);
    const auto node = static_cast<std::uint32_t>(after - json_.first_entry.begin() - 1);
    return {node, entry - json_.first_entry[node], 0};
  }

  using Key = std::tuple<Place, std::uint32_t, std::uint64_t>;
  // Offsets into the instance are from its start, whatever state it is.
  static Key key(const plan::Operand& o) { return {o.place, o.place == Place::instance ? 0 : o.index, o.offset}; }

  // A Program is checked, so the entry of a buffer's contents exists.
  std::uint32_t find(const plan::Operand& o) const {
    const auto& all = o.bytes == 0 ? empty_ : live_;
    return all.at(key(o)).entry;
  }

  std::uint32_t add_entry(const plan::Operand& at, GraphJsonEntry entry, bool own) {
    const auto e = static_cast<std::uint32_t>(json_.entries.size());
    entry.storage = e;
    json_.entries.push_back(std::move(entry));
    own_.push_back(own);
    places_.push_back(at);
    return e;
  }

  // The entry is what lies there from now on, and nothing that it is written over.
  void put(const plan::Operand& o, std::uint32_t entry) {
    if (o.bytes == 0) {
      empty_[key(o)] = {entry, 0, o.value};
      return;
    }
    const auto [own_place, own_index, own_offset] = key(o);
    for (auto at = live_.lower_bound({own_place, own_index, 0}); at != live_.end();) {
      const auto& [place, index, offset] = at->first;
      if (place != own_place || index != own_index || offset >= own_offset + o.bytes) break;
      if (offset + at->second.bytes > own_offset)
        at = live_.erase(at);
      else
        ++at;
    }
    live_[key(o)] = {entry, o.bytes, o.value};
  }

  void add_null(const std::string& name, const plan::Operand& at, GraphJsonEntry entry) {
    const auto n = static_cast<std::uint32_t>(json_.nodes.size());
    json_.nodes.push_back({.name = unique(name), .function = {}, .inputs = {}});
    json_.first_entry.push_back(static_cast<std::uint32_t>(json_.entries.size()));
    json_.arguments.push_back(n);
    put(at, add_entry(at, std::move(entry), true));
  }

  void add_arguments() {
    for (std::uint32_t i = 0; i < program_.main.inputs.size(); ++i) {
      const plan::Tensor& t = program_.main.inputs[i];
      add_null(request_.model.inputs[i].name.empty() ? request_.model.inputs[i].field : request_.model.inputs[i].name,
               {Place::input, i, 0, t.bytes, t.dtype, t.value}, entry_of(t.dtype, t.value, t.bytes));
    }
    inputs_ = json_.nodes.size();
    for (std::size_t i = 0; i < program_.instance.states.size(); ++i) {
      const plan::InitialState& s = program_.instance.states[i];
      const plan::Operand at{Place::instance, 0, s.offset, s.bytes};
      add_null("state_" + std::to_string(i), at, state_entry(at));
      states_.push_back(json_.nodes.back().name);
    }
    const auto& calls = program_.main.calls;
    if (std::any_of(calls.begin(), calls.end(), [](const plan::Call& c) { return c.uses_instance; })) {
      instance_ = static_cast<std::uint32_t>(json_.entries.size());
      add_null("instance", {Place::instance, 0, 0, 0}, entry_of(DType::u8, ir::kNoValue, program_.instance.bytes));
      states_.push_back(json_.nodes.back().name);
    }
    add_constants();
  }

  // The entry has the type of its first reader or writer.
  GraphJsonEntry state_entry(const plan::Operand& at) const {
    for (const plan::Call& c : program_.main.calls)
      for (const auto* list : {&c.inputs, &c.outputs})
        for (const plan::Operand& o : *list)
          if (o.place == Place::instance && o.offset == at.offset && o.bytes == at.bytes)
            return entry_of(o.dtype, o.value, o.bytes);
    return entry_of(DType::u8, ir::kNoValue, at.bytes);
  }

  void add_constants() {
    std::set<std::uint32_t> seen;
    const auto add = [&](const plan::Operand& o, GraphJsonEntry entry) {
      if (o.place == Place::constant && seen.insert(o.index).second)
        add_null(program_.constants[o.index], o, std::move(entry));
    };
    for (const plan::Call& c : program_.main.calls)
      for (const plan::Operand& o : c.inputs) add(o, entry_of(o.dtype, o.value, o.bytes));
    for (const plan::Move& m : program_.main.moves) add(m.from, moved_entry(m));
  }

  GraphJsonEntry moved_entry(const plan::Move& m) const {
    if (m.to.place != Place::output) return entry_of(DType::u8, ir::kNoValue, m.to.bytes);
    const plan::Tensor& t = program_.main.outputs[m.to.index];
    return entry_of(t.dtype, t.value, t.bytes);
  }

  // The entry that an output replaces in its storage; nothing where it is new.
  const std::uint32_t* replaced(const plan::Operand& o) const {
    if (o.bytes == 0) return nullptr;
    const auto found = live_.find(key(o));
    if (found == live_.end() || found->second.bytes != o.bytes) return nullptr;
    const Live& old = found->second;
    const bool continues = o.place == Place::instance || o.value == ir::kNoValue || old.value == o.value;
    return continues ? &old.entry : nullptr;
  }

  void add_call(const plan::Call& call) {
    GraphJsonNode node{.name = unique(call.step.symbol), .function = {}, .inputs = {}};
    PackedFunction function{{}, &call, {}, 0};
    const auto input = [&](std::uint32_t e) {
      node.inputs.push_back(ref(e));
      function.sizes.push_back(json_.entry_bytes(e));
    };
    for (const plan::Operand& o : call.inputs) input(find(o));
    if (call.uses_instance) input(*instance_);
    std::vector<GraphJsonEntry> outputs;
    for (const plan::Operand& o : call.outputs) outputs.push_back(output_entry(o, input, function));
    for (const plan::Operand& w : call.workspaces)
      outputs.push_back(new_entry(entry_of(DType::u8, ir::kNoValue, w.bytes)));
    for (const GraphJsonEntry& e : outputs) function.sizes.push_back(tensor_bytes(e.type, e.shape).value_or(0));
    node.function = function_of(std::move(function));
    node.outputs = static_cast<std::uint32_t>(outputs.size());
    json_.nodes.push_back(std::move(node));
    json_.first_entry.push_back(static_cast<std::uint32_t>(json_.entries.size()));
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const bool is_output = i < call.outputs.size();
      const plan::Operand& at = is_output ? call.outputs[i] : call.workspaces[i - call.outputs.size()];
      put_output(at, outputs[i]);
    }
  }

  static constexpr std::uint32_t kNew = 0xffffffffu;
  static GraphJsonEntry new_entry(GraphJsonEntry entry) {
    entry.storage = kNew;
    return entry;
  }

  // Its storage is that of the entry that it replaces, or kNew.
  template <class AddInput>
  GraphJsonEntry output_entry(const plan::Operand& o, const AddInput& add_input, PackedFunction& function) {
    const std::uint32_t* old = replaced(o);
    if (old == nullptr) return new_entry(entry_of(o.dtype, o.value, o.bytes));
    GraphJsonEntry out = json_.entries[*old];
    // A state that is written whole needs nothing of what it was.
    if (o.place != Place::instance) {
      add_input(*old);
      ++function.previous;
    }
    return out;
  }

  void put_output(const plan::Operand& at, const GraphJsonEntry& entry) {
    const std::uint32_t shared = entry.storage;
    const std::uint32_t e = add_entry(at, entry, false);
    if (shared != kNew) json_.entries[e].storage = shared;
    put(at, e);
  }

  void add_move(const plan::Move& m) {
    if (m.to.bytes == 0 && m.to.place == Place::instance) return;  // a state without elements has no node
    const std::uint32_t from = find({m.from.place, m.from.index, m.from.offset, m.to.bytes});
    GraphJsonEntry entry = json_.entries[from];
    entry.storage = kNew;
    if (m.to.place == Place::instance) entry = json_.entries[find(m.to)];
    GraphJsonNode node{.name = unique("copy"), .function = kCopyFunction, .inputs = {ref(from)}};
    json_.nodes.push_back(std::move(node));
    json_.first_entry.push_back(static_cast<std::uint32_t>(json_.entries.size()));
    put_output(m.to, entry);
  }

  // Steps that call one function with operands of the same sizes share what is around it.
  std::string function_of(PackedFunction function) {
    for (const std::size_t i : functions_[function.call->step.symbol]) {
      const PackedFunction& f = out_.functions[i];
      if (f.sizes == function.sizes && f.previous == function.previous &&
          f.call->instance_offset == function.call->instance_offset)
        return f.name;
    }
    function.name = function.call->step.symbol + "_packed";
    while (!symbols_.insert(function.name).second) function.name += "_";
    functions_[function.call->step.symbol].push_back(out_.functions.size());
    out_.functions.push_back(function);
    return function.name;
  }

  // Metadata for byoc's own runtime; other runtimes ignore it.
  Json metadata() const {
    Json out = {{"format", 1}, {"align", align()}, {"inputs", inputs_}, {"states", states_}};
    static const char* const kPlaces[] = {"input", "output", "workspace", "constant", "instance"};
    if (instance_) out["instance"] = json_.nodes[ref(*instance_).node].name;
    for (const plan::InstancePart& p : program_.instance.parts)
      if (instance_ && !p.device.empty()) out["devices"][p.device].push_back(p.offset);
    for (const plan::Call& c : program_.main.calls)
      if (const RunFailure* f = request_.model.failure_of(c.step.symbol))
        out["failures"][c.step.symbol] = utf8(f->text);
    out["entries"] = Json::array();
    for (const plan::Operand& o : places_) {
      const std::uint64_t index =
          o.place == Place::workspace ? program_.main.workspace_index(o.index) : std::get<1>(key(o));
      out["entries"].push_back({kPlaces[static_cast<std::size_t>(o.place)], index, o.offset});
    }
    return out;
  }

  std::uint32_t align() const {
    std::uint32_t out = std::max(64u, program_.instance.align);
    for (const plan::PoolUse& p : program_.main.workspaces) out = std::max(out, p.align);
    return out;
  }

  const PrintRequest& request_;
  const plan::Program& program_;
  Diagnostics& diags_;
  ProgramGraph out_;
  GraphJson& json_ = out_.json;
  std::vector<bool> own_;              // of each entry, whether its storage is its alone
  std::vector<plan::Operand> places_;  // of each entry, where the plan has it
  std::map<Key, Live> live_, empty_;   // by where it lies; those without bytes lie anywhere
  std::map<ir::ValueId, std::vector<std::int64_t>> shapes_;
  std::set<std::string> names_, symbols_;                      // of nodes; of steps and functions
  std::map<std::string, std::vector<std::size_t>> functions_;  // by the step's symbol, positions
  std::map<std::string, std::size_t> counts_;                  // by name, how often it got a number
  std::vector<std::string> states_;
  std::size_t inputs_ = 0;
  std::optional<std::uint32_t> instance_;
};

}  // namespace

Result<ProgramGraph> graph_of(const PrintRequest& request, Diagnostics& diags) { return Builder(request, diags).run(); }

}  // namespace byoc::executor
