#include "sdk/app/check/recorder.hpp"

#include <charconv>
#include <set>

#include "byoc/forwarding_host.hpp"

namespace byoc::check {
namespace {

// "v12" -> 12
std::uint32_t id_of(const codegen::Region& region, codegen::ValueId value) {
  std::uint32_t out = codegen::kNoValue;
  if (value >= region.values.size()) return out;
  const std::string& name = region.values[value].name;
  (void)std::from_chars(name.data() + 1, name.data() + name.size(), out);
  return out;
}

class Notes final : public codegen::ForwardingHost {
 public:
  Notes(codegen::Host& to, Recorder& record, std::span<const codegen::Region> regions)
      : ForwardingHost(to), record_(record), regions_(regions) {}

  std::uint32_t private_value(const codegen::PrivateValue& v) override {
    const std::uint32_t id = ForwardingHost::private_value(v);
    if (record_.private_values.size() <= id) record_.private_values.resize(id + 1);
    record_.private_values[id] = v;
    return id;
  }
  void step(const codegen::Region& r, const codegen::Step& s) override {
    RecordedStep out;
    out.step = s;
    out.region = static_cast<std::size_t>(&r - regions_.data());
    const auto add = [&](const std::vector<codegen::Operand>& from, std::vector<RecordedOperand>& list) {
      for (const codegen::Operand& o : from)
        list.push_back(o.value == codegen::kNoValue ? RecordedOperand{true, o.private_value}
                                                    : RecordedOperand{false, id_of(r, o.value)});
    };
    add(s.inputs, out.inputs);
    add(s.outputs, out.outputs);
    record_.steps.push_back(std::move(out));
    ForwardingHost::step(r, s);
  }
  void alias(const codegen::Region& r, codegen::ValueId v, codegen::ValueId of) override {
    record_.aliases[id_of(r, v)] = id_of(r, of);
    ForwardingHost::alias(r, v, of);
  }
  void stored_privately(const codegen::Region& r, codegen::ValueId v, const codegen::PrivateLayout& l) override {
    record_.layouts[id_of(r, v)] = l;
    ForwardingHost::stored_privately(r, v, l);
  }
  void instance(const codegen::Instance& i) override {
    record_.instance = i;
    ForwardingHost::instance(i);
  }

 private:
  Recorder& record_;
  std::span<const codegen::Region> regions_;
};

}  // namespace

bool Recorder::compile(const codegen::Request& request, codegen::Host& host) {
  regions.assign(request.regions.begin(), request.regions.end());
  Notes notes(host, *this, request.regions);
  const bool ok = inner_.compile(request, notes);
  order();
  return ok;
}

// Region by region, each once what it reads is there; within one as they were given.
void Recorder::order() {
  std::set<std::uint32_t> there;
  std::set<std::uint32_t> made;  // by a region
  for (const codegen::Region& r : regions)
    for (const codegen::ValueId v : r.outputs) made.insert(id_of(r, v));
  std::vector<bool> done(regions.size(), false);
  std::vector<RecordedStep> sorted;
  for (std::size_t rounds = 0; rounds < regions.size(); ++rounds)
    for (std::size_t i = 0; i < regions.size(); ++i) {
      if (done[i]) continue;
      bool ready = true;
      for (const codegen::ValueId v : regions[i].inputs) {
        const std::uint32_t id = id_of(regions[i], v);
        ready = ready && (!made.contains(id) || there.contains(id));
      }
      if (!ready) continue;
      done[i] = true;
      for (const codegen::ValueId v : regions[i].outputs) there.insert(id_of(regions[i], v));
      for (const RecordedStep& s : steps)
        if (s.region == i) sorted.push_back(s);
    }
  steps = std::move(sorted);
}

}  // namespace byoc::check
