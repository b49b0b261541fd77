// Fixed text of generated files lives in templates/; @NAME@ in it is filled in.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace byoc::executor {

// templates/<file> with every @NAME@ replaced by fields.at(NAME). A name without a field is a bug.
[[nodiscard]] std::string fill_template(std::string_view file, const std::map<std::string, std::string>& fields);

// The same for a text of another folder's.
[[nodiscard]] std::string fill_text(std::string_view text, const std::map<std::string, std::string>& fields);

}  // namespace byoc::executor
