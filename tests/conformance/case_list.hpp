// The list of cases that are known not to pass: by category, each with its reason in words.
//
//   # a comment
//   = category: why cases of it do not pass
//   node/test_one
//   node/test_two
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace byoc::test {

enum class Runner { generated_code, evaluator };

enum class CaseVerdict { passed, refused, failed };

struct CaseResult {
  CaseVerdict verdict = CaseVerdict::failed;
  std::string text;
};

[[nodiscard]] std::string to_string(CaseVerdict);

// What a refusal's first line says, without the names and numbers that are the case's own: "Conv: has ...".
[[nodiscard]] std::string reason_of(const std::string& text);

class CaseList {
 public:
  static std::optional<CaseList> read(const std::string& path);
  static std::optional<CaseList> parse(const std::string& text);
  [[nodiscard]] bool write(const std::string& path) const;
  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool contains(const std::string& case_name) const { return find(case_name) != nullptr; }

  // Why a listed case does not pass; "" for any other.
  [[nodiscard]] std::string reason_for(const std::string& case_name) const;

  // Where results differ from the list: a case that is listed passes; one that is not listed does not; a listed one
  // fails where its category says that it is refused. Only "broken" cases may fail. The list is that of generated code:
  // the evaluator passes just what has nothing but its shapes or the kind of its values against it.
  [[nodiscard]] std::vector<std::string> unexpected(const std::map<std::string, CaseResult>& results,
                                                    Runner runner = Runner::generated_code) const;

  // Takes out what passes and puts what does not into the category that its text speaks of.
  void update(const std::map<std::string, CaseResult>& results);

 private:
  struct Category {
    std::string name;
    std::string reason;
    std::vector<std::string> cases;
  };
  [[nodiscard]] const Category* find(const std::string& case_name) const;

  std::vector<std::string> comments_;
  std::vector<Category> categories_;
};

}  // namespace byoc::test
