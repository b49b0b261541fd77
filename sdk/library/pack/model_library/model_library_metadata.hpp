// metadata.json of an archive in Model Library Format, for readers of what byoc wrote.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/library/pack/tar_reader.hpp"

namespace byoc {

inline constexpr std::string_view kMetadataFile = "metadata.json";

// The whole of an entry that is no larger than this. Errors: it is, or it is damaged.
inline constexpr std::uint64_t kLargestMetadata = std::uint64_t{64} << 20;
[[nodiscard]] bool read_metadata_entry(TarEntry& entry, const std::string& path, std::string& text, Diagnostics& diags);

// The text of it. Errors: those of read_tar and of the above; there is none.
[[nodiscard]] Result<std::string> read_metadata_text(const std::string& path, Diagnostics& diags);

}  // namespace byoc
