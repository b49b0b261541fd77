// Files: read whole, and written whole or not at all.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sdk/support/diagnostics.hpp"

namespace byoc {

[[nodiscard]] Result<std::string> read_text(const std::string& path, Diagnostics&);

// Writes a set of files so that either all of them appear or none does: each is written to a temporary file in its
// own folder; commit() renames them all. Destroyed before commit(), it removes the temporaries.
class OutputSet {
 public:
  explicit OutputSet(Diagnostics& diags) : diags_(diags) {}
  ~OutputSet();
  OutputSet(const OutputSet&) = delete;
  OutputSet& operator=(const OutputSet&) = delete;

  Result<void> add(const std::string& path, std::string_view text);
  // Opens the temporary for `path`; `write` fills it through the descriptor and returns false with errno set when a
  // write failed.
  Result<void> add(const std::string& path, const std::function<bool(int fd)>& write);
  // For what another program writes: `make` replaces the file `temporary` and reports its own errors.
  Result<void> add_made(const std::string& path, const std::function<Result<void>(const std::string& temporary)>& make);
  Result<void> commit();

 private:
  struct Pending {
    std::string path;
    std::string temporary;
  };
  Diagnostics& diags_;
  std::vector<Pending> pending_;
};

// write(2) until everything is out; false with errno set.
[[nodiscard]] bool write_all(int fd, std::span<const std::byte> bytes);

// A fresh private directory, removed with everything in it at the end.
class TemporaryDirectory {
 public:
  static Result<TemporaryDirectory> create(Diagnostics&);
  ~TemporaryDirectory();
  TemporaryDirectory(TemporaryDirectory&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  TemporaryDirectory& operator=(TemporaryDirectory&&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  explicit TemporaryDirectory(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace byoc
