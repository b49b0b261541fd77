// A folder that appears whole or not at all.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "sdk/support/diagnostics.hpp"

namespace byoc {

// Files are written into a temporary folder beside `path`; commit() puts it in the place of `path`. Destroyed before
// that, it removes what it wrote.
class OutputDirectory {
 public:
  // An existing folder is replaced only if it is empty or has a file `marker`, that is, if it was written this way.
  // Errors: another folder or a file is there; the temporary one cannot be made.
  static Result<OutputDirectory> create(const std::string& path, const std::string& marker, Diagnostics&);
  ~OutputDirectory();
  OutputDirectory(OutputDirectory&& other) noexcept;
  OutputDirectory& operator=(OutputDirectory&&) = delete;

  // `name` is relative and may have folders in it. Errors: it cannot be written.
  Result<void> add(const std::string& name, std::string_view text);
  Result<void> add(const std::string& name, const std::function<bool(int fd)>& write);
  Result<void> commit();

 private:
  OutputDirectory(std::string path, Diagnostics& diags) : path_(std::move(path)), diags_(&diags) {}
  std::string path_;       // without a slash at its end
  std::string temporary_;  // "" after commit()
  Diagnostics* diags_;
};

}  // namespace byoc
