#include "sdk/export/object_gate.hpp"

namespace byoc {
namespace {

// An object of several owners is its own.
std::string codegen_of(const std::string& name, const std::string& owner) { return owner == name ? "" : owner; }

}  // namespace

std::shared_ptr<const ObjectFacts> ObjectGate::admit(const ObjectBytes& object, const std::string& name,
                                                     const std::string& owner) {
  auto facts = read_object_facts(object, name, diags_);
  if (!facts || !check_object(*facts, target_, name, diags_)) return nullptr;
  if (reader_ != nullptr) {
    auto foreign = reader_->read(object, name, diags_);
    if (!foreign) return nullptr;
    if (foreign->asks_for_more) asking_.insert(owner);
    if (foreign->count != 0 || foreign->unknown != 0) codes_.push_back({name, owner, std::move(*foreign)});
  }
  for (const ObjectSymbol& s : facts->defined) {
    if (s.weak)
      weaks_[s.name].push_back({name, owner});
    else
      strongs_.emplace(s.name, Definition{name, owner});
  }
  return std::make_shared<const ObjectFacts>(std::move(*facts));
}

void ObjectGate::finish() {
  for (const Code& c : codes_) report(c);
  for (const auto& [symbol, weak] : weaks_) compare(symbol, weak);
}

void ObjectGate::report(const Code& c) {
  const Diagnostics::Origin origin(diags_, codegen_of(c.name, c.owner));
  const ForeignCode& f = c.foreign;
  if (f.unknown != 0)
    diags_.warning(c.name, {}, "has instructions that byoc does not know, or data among its code",
                   std::to_string(f.unknown) + ", the first in " + f.unknown_place, "instructions of " + target_.name);
  if (f.count == 0) return;
  std::string found = "'" + f.text + "' at offset " + std::to_string(f.offset);
  if (!f.needs.empty()) found += ", of " + f.needs;
  if (f.count != 1) found += ", and " + std::to_string(f.count - 1) + " more";
  const std::string level = target_.march.empty() ? target_.cpu : target_.march;
  const std::string expected = "instructions of " + (level.empty() ? target_.name : level);
  if (asking_.contains(c.owner))
    diags_.warning(c.name, f.section, "has instructions that " + target_.name + " need not have; its code asks the CPU",
                   found, expected);
  else
    diags_.error(c.name, f.section, "has instructions that " + target_.name + " does not have", found, expected);
}

void ObjectGate::compare(const std::string& symbol, const std::vector<Definition>& weak) {
  const auto strong = strongs_.find(symbol);
  if (strong == strongs_.end()) return;
  for (const Definition& w : weak) {
    // A vendor may well have a default and something better in its own parts.
    const bool same_owner = w.owner == strong->second.owner;
    if (same_owner && !w.owner.empty()) continue;
    const Diagnostics::Origin origin(diags_, codegen_of(w.name, w.owner));
    const char* const what = "is a weak definition of what is defined elsewhere: a linker may take it all the same";
    if (same_owner)
      diags_.warning(w.name, symbol, what, w.name + " and " + strong->second.name, "one definition");
    else
      diags_.error(w.name, symbol, what, w.name + " and " + strong->second.name, "one definition");
  }
}

}  // namespace byoc
