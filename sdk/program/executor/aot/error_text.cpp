#include "sdk/program/executor/aot/error_text.hpp"

#include "byoc/c_text.hpp"
#include "sdk/program/executor/aot/fields.hpp"
#include "sdk/program/executor/template.hpp"

namespace byoc::executor {
namespace {

std::string macro(const Fields& f, const RunFailure& failure) { return f.at("UPPER") + "_FAILED_" + failure.name; }

// Text of a model inside a C string: what could end it, or be read as something else, is '_'.
std::string quoted(const std::string& text) {
  std::string out = c_comment(text);
  for (char& c : out)
    if (c == '"') c = '\'';
  return '"' + out + '"';
}

}  // namespace

std::string failures_header_text(const PrintRequest& request) {
  if (request.model.failures.empty()) return {};
  Fields f = fields_of(request);
  f["CODES"] = "";
  for (const RunFailure& failure : request.model.failures)
    f["CODES"] += "#define " + macro(f, failure) + " " + std::to_string(failure.code) + " /* " +
                  c_comment(failure.text) + " */\n";
  return fill_template("failures.h.in", f);
}

std::string error_text_source(const PrintRequest& request) {
  Fields f = fields_of(request);
  f["CASES"] = "";
  for (const RunFailure& failure : request.model.failures)
    f["CASES"] += "    case " + macro(f, failure) + ": return " + quoted(failure.text) + ";\n";
  return fill_template("error_text.c.in", f);
}

}  // namespace byoc::executor
