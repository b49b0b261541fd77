// The outputs of a command: all of them appear, or none does, and nothing else is touched.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "byoc/options.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/base/support/file_stamp.hpp"
#include "sdk/base/support/leftovers.hpp"
#include "sdk/base/support/output_place.hpp"

namespace byoc {

// Each output is written under a temporary name beside its place, and commit() exchanges the names. Every place is
// resolved in one way: links are followed and their target is replaced; pipes, character devices and descriptors
// (/dev/stdout) are written to after everything else is made. No output may be the same file as another output or an
// input, whatever names, links or case-insensitive letters lead to it. A set that is destroyed before commit() leaves
// everything as it was.
class OutputSet {
 public:
  // `inputs`: what the command reads, as it was when it was opened; commit() is an error where one has changed.
  explicit OutputSet(Diagnostics& diags, std::vector<FileStamp> inputs = {});
  ~OutputSet();
  OutputSet(const OutputSet&) = delete;
  OutputSet& operator=(const OutputSet&) = delete;

  Result<void> add(const std::string& path, std::string_view text);
  // `write` fills the output through the descriptor and returns false with errno set when a write failed.
  Result<void> add(const std::string& path, const std::function<bool(int fd)>& write);
  // Adds a file that another program writes: `make` replaces the file `temporary` and reports its own errors.
  Result<void> add_made(const std::string& path, const std::function<Result<void>(const std::string& temporary)>& make);
  // A folder that is replaced as a whole: what is added below `path` from now on is all that is in it. One that is
  // there is replaced only if it is empty or has a file `marker`, that is, if it was written this way.
  Result<void> add_folder(const std::string& path, const std::string& marker);
  // The files that were added so far, by the names that they were added by, and where each is until commit().
  struct Written {
    std::string name;
    std::string content;
  };
  [[nodiscard]] std::vector<Written> written() const;
  // Makes `path` and the folders on the way to it where they are missing; they stay if the set is committed.
  Result<void> make_folders(const std::string& path);
  // Makes the folder that contains `path`.
  Result<void> make_folder_of(const std::string& path);
  // power_cut: the contents are on their disks before names are exchanged, and the names when this returns. A file
  // system that keeps the order of renames (all that journal) then has each output as it was or as it is to be at any
  // time.
  Result<void> commit(Durability durability = Durability::usual);

 private:
  struct Pending {
    enum class Kind { file, folder, stream, inside };  // inside: of a folder of this set
    Kind kind;
    std::string name;  // as it was given
    OutputPlace place;
    std::string temporary;  // a file, or a folder with it; "" inside a folder
    std::string content;    // what becomes the output: `temporary`, or in it
    Leftover leftover;
    enum class State { written, placed, exchanged, replaced } state = State::written;
  };

  Result<int> create(const std::string& path, bool in_own_folder);
  Result<void> put(Pending pending, const std::function<bool()>& make);
  Result<void> check_file(const std::string& name, const OutputPlace& place);
  Result<void> check_folder(const std::string& name, const OutputPlace& place, const std::string& marker);
  const Pending* folder_around(const std::string& path, std::string& rest) const;
  bool is_twice(const std::string& temporary) const;
  Result<void> check_places();
  Result<void> write_stream(const Pending& p);
  Result<void> sync_contents();
  Result<void> sync_names();
  Result<void> exchange_names();
  void take_back();
  Failure failed(const std::string& name, int reason);

  Diagnostics& diags_;
  std::vector<FileStamp> inputs_;
  std::string suffix_;  // of all temporary names: two outputs of one name have one temporary
  std::vector<Pending> pending_;
  std::vector<std::string> made_folders_;
};

struct OutputName {
  std::string path;
  std::string marker = {};    // of a folder, as for OutputSet::add_folder(); "": a file
  bool makes_folder = false;  // the folder that it goes to may be missing, and is made with it
};

// Checks, before long work begins, whether a command that reads `inputs` may and can write all of `outputs`. It leaves
// no trace. Errors: those of OutputSet.
[[nodiscard]] Result<void> check_outputs(std::vector<FileStamp> inputs, std::span<const OutputName> outputs,
                                         Diagnostics&);

}  // namespace byoc
