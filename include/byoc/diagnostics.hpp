// Diagnostics as data. Libraries report here and never print; the command line prints them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "byoc/result.hpp"

namespace byoc {

enum class Level { note, warning, error };

// Texts are lower case without a full stop; any field but `message` may be empty.
struct Diagnostic {
  Level level = Level::error;
  std::string file;      // the input it is about
  std::string node;      // the node, tensor, module or symbol it is about
  std::string message;   // what is wrong
  std::string found;     // what was there
  std::string expected;  // what would have been right
};

// One line: "FILE: error: node 'N': MESSAGE (found F, expected E)".
[[nodiscard]] std::string to_string(const Diagnostic&);

// The reported diagnostics, in order. A bad input can have any number of faults: the first kMost errors, and the first
// kMost warnings and notes, are kept; a note at the end then has the number of the others.
class Diagnostics {
 public:
  static constexpr std::size_t kMost = 100;

  void add(Diagnostic d);
  // Reports an error and returns the failure to return.
  Failure error(Diagnostic d);
  Failure error(std::string file, std::string node, std::string message, std::string found = {},
                std::string expected = {});
  void warning(std::string file, std::string node, std::string message, std::string found = {},
               std::string expected = {});

  [[nodiscard]] bool has_errors() const { return errors_ != 0; }
  // The number of errors reported, kept or not.
  [[nodiscard]] std::size_t errors() const { return errors_; }
  [[nodiscard]] std::size_t count() const { return errors_ + others_; }
  [[nodiscard]] const std::vector<Diagnostic>& all() const { return all_; }

 private:
  std::vector<Diagnostic> all_;
  std::size_t errors_ = 0;
  std::size_t others_ = 0;
  std::size_t left_out_ = 0;
};

}  // namespace byoc
