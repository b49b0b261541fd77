// The checks that every object must pass before it is in a library.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/library/compile/compiler.hpp"
#include "sdk/library/object/foreign_code.hpp"
#include "sdk/library/object/object_facts.hpp"

namespace byoc {

class ObjectGate {
 public:
  ObjectGate(const TargetSpec& target, Diagnostics& diags)
      : target_(target), diags_(diags), reader_(CodeReader::create(target)) {}

  // `name` is for diagnostics; `owner` handed it over: a codegen, "" for the user, or `name` for an object of several.
  // Gives what it has read. Errors (null): those of check_object; no object.
  [[nodiscard]] std::shared_ptr<const ObjectFacts> admit(const ObjectBytes& object, const std::string& name,
                                                         const std::string& owner);

  // Checks all objects together. Errors: instructions that the target does not have (a warning if code of the same
  // owner asks the CPU for its features); a weak definition of a symbol that another owner defines, which GNU ld may
  // take in its place.
  void finish();

 private:
  struct Code {
    std::string name, owner;
    ForeignCode foreign;
  };
  struct Definition {
    std::string name, owner;
  };

  void report(const Code& code);
  void compare(const std::string& symbol, const std::vector<Definition>& weak);

  const TargetSpec& target_;
  Diagnostics& diags_;
  std::unique_ptr<CodeReader> reader_;
  std::vector<Code> codes_;
  std::set<std::string> asking_;                          // owners of code that asks the CPU
  std::map<std::string, std::vector<Definition>> weaks_;  // by symbol
  std::map<std::string, Definition> strongs_;
};

}  // namespace byoc
