// Diagnostics as data. Libraries report here and never print; the command line prints them.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "byoc/result.hpp"

namespace byoc {

enum class Level { note, warning, error };

// Texts are lower case without a full stop; any field but `message` may be empty.
struct Diagnostic {
  Level level = Level::error;
  std::string file;          // the input it is about
  std::string node;          // the node, tensor, module or symbol it is about
  std::string message;       // what is wrong
  std::string found;         // what was there
  std::string expected;      // what would have been right
  std::string codegen = {};  // the id of the codegen whose work it is about; "": of none
};

// "codegen 'acme': MESSAGE", or the message alone where it is about no codegen's work.
[[nodiscard]] std::string message_with_origin(const Diagnostic&);
// "FILE: error: 'N': codegen 'C': MESSAGE (found F, expected E)"; further lines of MESSAGE are indented.
[[nodiscard]] std::string to_string(const Diagnostic&);

// The reported diagnostics, in order. A bad input can have any number of faults: the first kMost errors, and the first
// kMost warnings and notes, are kept; a note at the end then has the number of the others.
class Diagnostics {
 public:
  static constexpr std::size_t kMost = 100;

  // While it lives, what is added to `diags` is about the work of `codegen`, unless it names another; "": of none.
  class Origin {
   public:
    Origin(Diagnostics& diags, std::string codegen) : diags_(diags), outer_(std::move(diags.origin_)) {
      diags_.origin_ = std::move(codegen);
    }
    Origin(const Origin&) = delete;
    Origin& operator=(const Origin&) = delete;
    ~Origin() { diags_.origin_ = std::move(outer_); }

   private:
    Diagnostics& diags_;
    std::string outer_;
  };

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
  std::string origin_;
  std::size_t errors_ = 0;
  std::size_t others_ = 0;
  std::size_t left_out_ = 0;
};

}  // namespace byoc
