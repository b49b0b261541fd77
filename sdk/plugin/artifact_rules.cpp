#include "sdk/plugin/artifact_rules.hpp"

#include <algorithm>
#include <iterator>

namespace byoc::plugin {
namespace {

constexpr const char* kStandards[] = {"", "c99", "c11", "c17", "gnu99", "gnu11", "gnu17"};

}  // namespace

bool is_file_name(const std::string& s, bool folders) {
  if (s.empty() || s.size() > 255 || s.front() == '/' || s.front() == '.' || s.find("..") != std::string::npos)
    return false;
  return std::all_of(s.begin(), s.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.' || c == '+' || (folders && c == '/');
  });
}

bool is_standard(const std::string& name) {
  return std::find(std::begin(kStandards), std::end(kStandards), name) != std::end(kStandards);
}

}  // namespace byoc::plugin
