#include "tests/conformance/case_list.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace byoc::test {
namespace {

constexpr const char* kBroken = "broken";
constexpr const char* kNotYet = "not-yet";
constexpr const char* kRunTimeShapes = "run-time-shapes";

// Where the evaluator passes: values that code is not made for.
bool is_for_evaluators(const std::string& category) {
  return category == kRunTimeShapes || category == "sequences" || category == "optional" || category == "strings" ||
         category == "images";
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// The category that a refusal's own words point to.
std::string category_of(const std::string& name, const CaseResult& result) {
  const std::string text = lower(result.text);
  const auto says = [&](const char* word) { return text.find(word) != std::string::npos; };
  if (says("run-time shape") || says("known only at run time")) return kRunTimeShapes;
  if (says("the board has")) return "memory";
  if (says("a sequence") || says("found sequence") || says("splittosequence")) return "sequences";
  if (says("optional")) return "optional";
  if (says("string")) return "strings";
  if (says("imagedecoder")) return "images";
  if (says("element type")) return "types";
  if (says("training_mode")) return "training";
  if (says("random") || name.find("bernoulli") != std::string::npos) return "random";
  return kNotYet;
}

}  // namespace

std::string to_string(CaseVerdict v) {
  return v == CaseVerdict::passed ? "passed" : v == CaseVerdict::refused ? "refused" : "failed";
}

std::string reason_of(const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  // 'Conv 'its name' (#3)': message (found ..., expected ...)
  const std::size_t begin = line.find('\''), end = line.find("': ");
  if (begin != std::string::npos && end != std::string::npos && begin < end) {
    const std::string where = line.substr(begin + 1, end - begin - 1);
    line = line.substr(0, begin) + where.substr(0, where.find(' ')) + line.substr(end + 1);
  }
  std::string out;
  bool digits = false;
  for (const char c : line) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit)
      out += c;
    else if (!digits)
      out += '#';
    digits = digit;
  }
  return out;
}

std::optional<CaseList> CaseList::parse(const std::string& text) {
  CaseList out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.empty()) continue;
    if (line.starts_with("#")) {
      out.comments_.push_back(line);
    } else if (line.starts_with("= ")) {
      const std::size_t colon = line.find(": ");
      if (colon == std::string::npos) return std::nullopt;
      out.categories_.push_back({line.substr(2, colon - 2), line.substr(colon + 2), {}});
    } else {
      if (out.categories_.empty() || out.find(line) != nullptr) return std::nullopt;
      out.categories_.back().cases.push_back(line);
    }
  }
  return out;
}

std::optional<CaseList> CaseList::read(const std::string& path) {
  std::ifstream in(path);
  if (!in) return std::nullopt;
  std::ostringstream text;
  text << in.rdbuf();
  return parse(text.str());
}

std::string CaseList::text() const {
  std::string out;
  for (const std::string& c : comments_) out += c + "\n";
  for (const Category& c : categories_) {
    out += "\n= " + c.name + ": " + c.reason + "\n";
    for (const std::string& name : c.cases) out += name + "\n";
  }
  return out;
}

bool CaseList::write(const std::string& path) const {
  std::ofstream out(path);
  out << text();
  return out.good();
}

const CaseList::Category* CaseList::find(const std::string& case_name) const {
  for (const Category& c : categories_)
    if (std::find(c.cases.begin(), c.cases.end(), case_name) != c.cases.end()) return &c;
  return nullptr;
}

std::string CaseList::reason_for(const std::string& case_name) const {
  const Category* listed = find(case_name);
  return listed == nullptr ? "" : listed->reason;
}

std::vector<std::string> CaseList::unexpected(const std::map<std::string, CaseResult>& results, Runner runner) const {
  std::vector<std::string> out;
  for (const auto& [name, result] : results) {
    const Category* listed = find(name);
    const std::string category = listed == nullptr ? "" : listed->name;
    if (runner == Runner::evaluator && is_for_evaluators(category)) listed = nullptr;
    if (result.verdict == CaseVerdict::passed) {
      if (listed != nullptr) out.push_back(name + " passes, but is listed under " + category);
    } else if (listed == nullptr) {
      out.push_back(name + (category.empty() ? " is not listed: " : " is one that the evaluator passes: ") +
                    to_string(result.verdict) + ": " + result.text);
    } else if (result.verdict == CaseVerdict::failed && category != kBroken) {
      out.push_back(name + " is listed under " + category + " and must be refused, but: " + result.text);
    }
  }
  return out;
}

void CaseList::update(const std::map<std::string, CaseResult>& results) {
  for (const auto& [name, result] : results) {
    const Category* listed = find(name);
    const std::string wanted = category_of(name, result);
    const bool keep =
        listed != nullptr && result.verdict != CaseVerdict::passed && (listed->name != kNotYet || wanted == kNotYet);
    if (keep) continue;
    for (Category& c : categories_) std::erase(c.cases, name);
    if (result.verdict == CaseVerdict::passed) continue;
    auto c = std::find_if(categories_.begin(), categories_.end(), [&](const Category& k) { return k.name == wanted; });
    if (c == categories_.end()) c = categories_.insert(categories_.end(), {wanted, "no reason is written here", {}});
    c->cases.insert(std::upper_bound(c->cases.begin(), c->cases.end(), name), name);
  }
}

}  // namespace byoc::test
