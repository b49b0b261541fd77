// Errors that say the same of many things, told once.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"

namespace byoc {

// Collects diagnostics and tells the first error of each kind, with how many more of it there were: "(and 108 more)".
// Warnings and notes are told as they are.
class Repeats {
 public:
  // Errors of one kind differ in what is between quotation marks and in numbers.
  void add(Diagnostic d);
  // Errors of one kind have the same message.
  void add_as_said(Diagnostic d);
  void error(std::string file, std::string node, std::string message, std::string found = {},
             std::string expected = {});

  // An error of the work of `codegen`; "": of none.
  void error_of(std::string codegen, std::string file, std::string node, std::string message, std::string found = {},
                std::string expected = {});

  [[nodiscard]] std::size_t errors() const { return errors_; }
  [[nodiscard]] bool has_errors() const { return errors_ != 0; }
  // Reports the diagnostics in the order in which each came first.
  void tell(Diagnostics& diags) const;

 private:
  struct Kind {
    Diagnostic first;
    std::size_t more = 0;
  };
  void add(Diagnostic d, std::string kind);

  std::vector<Kind> kinds_;
  std::map<std::string, std::size_t> known_;  // kind -> index into kinds_
  std::size_t errors_ = 0;
};

}  // namespace byoc
