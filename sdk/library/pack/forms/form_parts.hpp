// Parts of write_form(). Internal to this folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sdk/base/support/template.hpp"
#include "sdk/library/pack/forms/form.hpp"

namespace byoc::forms {

EmbeddedFiles form_templates();  // embedded by the build; "<form>/<file>"

// The fields of the package, and lists: `targets`, each with the facts of one and its `models`, each with `inputs` and
// `outputs`; `models` of the first target again; `fallback`, the targets (one or none) whose sources any compiler
// takes.
[[nodiscard]] Scope scope_of(const FormRequest&, std::span<const Variant>);

// The reason why code that needs no CPU extension cannot be a `fallback`: "llvm of codegen 'llvm'". "": there is no
// reason, or all code needs an extension.
[[nodiscard]] std::string why_no_fallback(std::span<const Variant>);

// `about` with what is missing, and the names that follow of it.
[[nodiscard]] About complete(const About& about, std::span<const Variant>);
// The name that the world wants an archive to have; "" where any will do.
[[nodiscard]] std::string archive_name(const FormRequest&, std::span<const Variant>);
[[nodiscard]] bool is_archive(const FormRequest&);

// A file of the package, made already.
struct StagedFile {
  std::string path;  // in the package
  std::string from;  // where it is
};

// Appends an archive of the kind that `suffix` says (.whl, .pack, .zip: ZIP without compression; .tgz) at the position
// of `fd`. Everything in it is below `root`. False with errno set.
[[nodiscard]] bool write_archive(int fd, std::string_view suffix, const std::string& root,
                                 const std::vector<StagedFile>& files, std::uint64_t time);

}  // namespace byoc::forms
