// The findings of checks, and their transfer from the processes that the checks run in.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace byoc::check {

struct Finding {
  std::string check;        // its name
  std::string requirement;  // of docs/plugin-abi.md: "V1"
  std::string message;      // lower case, no full stop: what is wrong
  std::string found;
  std::string expected;
};

class Findings {
 public:
  // Alike ones (of one check and requirement) beyond the first three are counted only.
  void add(Finding finding);
  // The check does not apply, or cannot be made here.
  void skip(const std::string& check, const std::string& why) { skipped[check] = why; }
  // The coverage of a check, for people: "31 graphs, 12 operators".
  void note(const std::string& check, const std::string& text) { notes[check] = text; }
  void merge(const Findings& other);

  [[nodiscard]] std::string encode() const;
  // False if the text is not what encode() gives.
  [[nodiscard]] bool decode(std::string_view text);

  std::vector<Finding> list;
  std::map<std::string, std::uint64_t> more;  // by check, of those that were counted only
  std::map<std::string, std::string> skipped;
  std::map<std::string, std::string> notes;
  std::vector<std::string> table;  // of what was claimed and run: a line for each operator
  bool blocks = false;             // nothing further makes sense
};

// Texts one after the other, each after its length.
class Packer {
 public:
  void text(std::string_view s);
  void number(std::uint64_t n) { text(std::to_string(n)); }
  std::string bytes;
};
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : rest_(bytes) {}
  std::string text();
  std::uint64_t number();
  [[nodiscard]] bool ok() const { return ok_; }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

// The current activity of a process, in memory that it shares with the one that started it, so that its death can be
// attributed. There is one for all.
class Stage {
 public:
  Stage();
  // The one of the process that started this one. -1: nobody sees it.
  explicit Stage(int descriptor);
  ~Stage();
  [[nodiscard]] int descriptor() const { return descriptor_; }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;
  void enter(std::string_view check, std::string_view doing);
  // Called by a signal handler: the following death is a violation of this requirement.
  void blame(const char* requirement, const char* what) noexcept;
  void clear();
  [[nodiscard]] std::string check() const;
  [[nodiscard]] std::string doing() const;
  [[nodiscard]] std::string requirement() const;  // "" unless somebody was blamed
  [[nodiscard]] std::string what() const;

 private:
  struct Page {
    char check[64];
    char doing[1024];
    char requirement[16];
    char what[256];
  };
  int descriptor_ = -1;
  Page* page_;
};

}  // namespace byoc::check
