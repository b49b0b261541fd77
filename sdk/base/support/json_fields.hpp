// Reading a JSON object whose fields are all known.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/base/support/json.hpp"

namespace byoc {

// A number that is not negative and has no fraction; get<>() would make one of any number, which of most is undefined.
// Throws as get<>() does of another type.
[[nodiscard]] inline std::uint64_t whole_number(const auto& json) {
  if (json.is_number_unsigned()) return json.template get<std::uint64_t>();
  throw nlohmann::json::type_error::create(
      302, "type must be a whole number, but is " + (json.is_number() ? json_text(json) : json.type_name()), &json);
}

// An integer that may be negative. A value beyond the type wraps around.
[[nodiscard]] inline std::int64_t integer(const auto& json) {
  if (json.is_number_integer() && !json.is_number_unsigned()) return json.template get<std::int64_t>();
  return static_cast<std::int64_t>(whole_number(json));
}

// The whole_number() of a field, 0 where there is none.
[[nodiscard]] inline std::uint64_t number_or_0(const auto& json, const char* key) {
  return json.contains(key) ? whole_number(json.at(key)) : 0;
}

// The message of the exception without its name and number.
[[nodiscard]] inline std::string problem(const nlohmann::json::exception& thrown) {
  const std::string text = thrown.what();
  const std::size_t name_end = text.find("] ");
  return name_end == std::string::npos ? text : text.substr(name_end + 2);
}

enum class Presence { optional, needed };

// Reads the fields of one JSON object, each exactly once; what nobody asked for is unknown.
class JsonFields {
 public:
  // `kind` is what the object is, "a target description", and `file` where it is, for diagnostics.
  JsonFields(const SortedJson& object, std::string kind, std::string file, Diagnostics& diags)
      : object_(object), kind_(std::move(kind)), file_(std::move(file)), diags_(diags) {}

  void read(const char* key, std::string& out) {
    if (const SortedJson* v = find(key)) {
      if (v->is_string())
        out = v->get<std::string>();
      else
        wrong(key, *v, "a string");
    }
  }
  void read(const char* key, bool& out) {
    if (const SortedJson* v = find(key)) {
      if (v->is_boolean())
        out = v->get<bool>();
      else
        wrong(key, *v, "true or false");
    }
  }
  void read(const char* key, std::uint64_t& out) {
    if (const SortedJson* v = find(key)) {
      if (v->is_number_unsigned())
        out = v->get<std::uint64_t>();
      else
        wrong(key, *v, "a whole number, not negative");
    }
  }
  void read(const char* key, std::vector<std::string>& out) {
    const SortedJson* v = find(key);
    if (!v) return;
    if (!v->is_array()) return wrong(key, *v, "a list of strings");
    out.clear();
    for (const SortedJson& item : *v) {
      if (!item.is_string()) return wrong(key, item, "a list of strings");
      out.push_back(item.get<std::string>());
    }
  }
  // Text with one of a few values, "" only if it is among them.
  void read(const char* key, std::string& out, std::initializer_list<const char*> choices) {
    const std::size_t before = diags_.count();
    read(key, out);
    if (diags_.count() != before) return;
    std::string list;
    for (const char* c : choices) {
      if (out == c) return;
      if (*c) list += (list.empty() ? "" : " | ") + std::string(c);
    }
    diags_.error(file_, key, "has an unknown value", out, list);
  }
  // As read(), of a field that must be there.
  template <class T>
  void need(const char* key, T& out) {
    if (find(key, Presence::needed) != nullptr) read(key, out);
  }
  const SortedJson* object(const char* key, Presence presence = Presence::optional) {
    return of_type(key, presence, SortedJson::value_t::object, "an object");
  }
  const SortedJson* list(const char* key, Presence presence = Presence::optional) {
    return of_type(key, presence, SortedJson::value_t::array, "a list");
  }
  const SortedJson* find(const char* key, Presence presence = Presence::optional) {
    const auto it = object_.find(key);
    if (it == object_.end() && presence == Presence::needed) diags_.error(file_, key, "is missing");
    if (it == object_.end()) return nullptr;
    seen_.emplace_back(key);
    return &*it;
  }
  void finish() {
    for (const auto& [key, value] : object_.items())
      if (std::find(seen_.begin(), seen_.end(), key) == seen_.end())
        diags_.error(file_, key, "is not a field of " + kind_);
  }

 private:
  const SortedJson* of_type(const char* key, Presence presence, SortedJson::value_t type, const char* expected) {
    const SortedJson* const v = find(key, presence);
    if (v == nullptr || v->type() == type) return v;
    wrong(key, *v, expected);
    return nullptr;
  }
  void wrong(const char* key, const SortedJson& v, const char* expected) {
    diags_.error(file_, key, "has the wrong type", v.type_name(), expected);
  }

  const SortedJson& object_;
  std::string kind_;
  std::string file_;
  Diagnostics& diags_;
  std::vector<std::string> seen_;
};

}  // namespace byoc
