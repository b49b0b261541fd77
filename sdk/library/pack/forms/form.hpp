// Packages as other build systems take them: `byoc pack --as`.
//
// A form is a row of the table in form.cpp and a folder of templates/. Its template `layout` lists the files of a
// package, one a line, and everything else that is known of a form is in its other templates:
//
//   text TEMPLATE PATH [TARGET [MODEL]]   a template, rendered for the package, a target of it or a model of that
//   library PATH TARGET                   static library of all models
//   shared PATH TARGET MODEL              shared library of one
//   header | example | manifest PATH TARGET MODEL
//   sources FOLDER TARGET                 C sources of all models, their headers, and the constants as C
//   bills FOLDER TARGET MODEL             bills of materials over all other files, if the user wants some
//   licence PATH                          terms of the code in the package
//   record PATH                           of a wheel: hashes and sizes of all files
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/base/support/output_set.hpp"
#include "sdk/library/pack/package.hpp"

namespace byoc::forms {

struct Form {
  std::string_view name;     // as --as takes it
  std::string_view archive;  // suffix of -o that asks for an archive; "": always a folder
  std::string_view file;     // name that the world wants such an archive to have; "": any
  std::string_view root;     // folder that everything is in, in the archive
  std::string_view key;      // the fact (target_facts.hpp) by which targets are told apart; every one has another
  std::string_view install;  // how the package OUT comes into a project, in the words of its world
  bool hosted;               // for targets with an operating system
  bool one_target;
  bool sources = false;  // has sources besides, for targets that it has no library for
};
[[nodiscard]] std::span<const Form> all_forms();
// Errors: a name that no form has; they are listed.
[[nodiscard]] Result<const Form*> find_form(const std::string& name, Diagnostics&);

// Form::install of the package at `out`.
[[nodiscard]] std::string how_to_install(const Form& form, const std::string& out);

// A package's description of itself, by field, as --set gives it. form.cpp has the list of fields.
using About = std::map<std::string, std::string>;
[[nodiscard]] std::string about_fields();  // "name, version ..." for messages and --help

// The models of one target.
struct Variant {
  std::vector<Package> models;
  [[nodiscard]] const TargetSpec& target() const { return models.front().target; }
};

struct FormRequest {
  const Form& form;
  About about = {};
  std::string out;
};

// The packages by target, in the order of their first folders, one of sources last. Errors: a library without a model;
// a model that is there twice for a target, is missing for another, or has other inputs or outputs there.
[[nodiscard]] Result<std::vector<Variant>> variants_of(std::vector<Package> packages, Diagnostics&);

// Checks whether the form supports these targets. Errors: a target that the form has no word for, two that it cannot
// tell apart, unknown fields of `about` or invalid text in them; a package of several models without a name.
[[nodiscard]] Result<void> check_form(const FormRequest&, std::span<const Variant>, Diagnostics&);

// The output of write_form().
[[nodiscard]] OutputName form_output(const FormRequest&);

// Writes the package. Whatever is not content is a constant: the same models and fields give the same bytes.
Result<void> write_form(const FormRequest&, std::span<const Variant>, Durability, Diagnostics&);

}  // namespace byoc::forms
