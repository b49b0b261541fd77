// Temporary folders of processes that are gone: those that a plug-in ended from within, or a kill. A process holds a
// lock on each of its own, which the kernel takes from it at its end, so that the next one knows what nobody needs.
#pragma once

#include <chrono>
#include <string>

namespace byoc {

// The name of a temporary folder begins with it; six characters follow.
inline constexpr const char* kTemporaryName = "byoc.";

// From its making to its removal.
void hold_folder(const std::string& path);
void let_folder_go(const std::string& path);

// Removes temporary folders of this user in `folder` that no process holds and that nothing was put into for `age`.
void remove_abandoned(const std::string& folder, std::chrono::seconds age);

}  // namespace byoc
