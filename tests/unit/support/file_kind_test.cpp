#include "sdk/base/support/file_kind.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace byoc {
namespace {

FileKind kind(const std::string& start) { return kind_of_bytes(std::as_bytes(std::span(start))); }

TEST(FileKind, ByWhatIsInIt) {
  using namespace std::string_literals;
  EXPECT_EQ(kind(""), FileKind::empty);
  EXPECT_EQ(kind("!<arch>\n"), FileKind::static_library);
  EXPECT_EQ(kind("!<thin>\n"), FileKind::thin_archive);
  EXPECT_EQ(kind("\x1f\x8b"), FileKind::compressed);
  EXPECT_EQ(kind(std::string(257, '\0') + "ustar"), FileKind::tar);
  EXPECT_EQ(kind("\x1c\0\0\0TFL3"s), FileKind::tflite);
  EXPECT_EQ(kind("\n graph \"g\" {"), FileKind::graph_text);
  EXPECT_EQ(kind("{\"format\": 1}"), FileKind::json);
  EXPECT_EQ(kind("\x93NUMPY\1\0"s), FileKind::npy);
  EXPECT_EQ(kind("a letter"), FileKind::other);
  EXPECT_EQ(kind("  "), FileKind::other);
  const auto elf = [](char order, char high, char low) {
    std::string text = "\177ELF\2" + std::string(1, order) + std::string(10, '\0');
    return kind(text + (order == 2 ? high : low) + (order == 2 ? low : high));
  };
  for (const char order : {'\1', '\2'}) {
    EXPECT_EQ(elf(order, 0, 1), FileKind::object);
    EXPECT_EQ(elf(order, 0, 2), FileKind::program);
    EXPECT_EQ(elf(order, 0, 3), FileKind::shared_library);
  }
  EXPECT_EQ(kind("\177ELF"), FileKind::other);
}

TEST(FileKind, OfFilesAndFolders) {
  EXPECT_EQ(kind_of_file("/nowhere/at/all"), FileKind::missing);
  EXPECT_EQ(kind_of_file("/dev/null"), FileKind::missing);  // no file whose end anybody knows
  EXPECT_EQ(kind_of_file(std::filesystem::temp_directory_path().string()), FileKind::other_folder);
  EXPECT_EQ(found_kind(FileKind::npy), "a .npy tensor, for byoc run --input");
  EXPECT_EQ(found_kind(FileKind::other), "other bytes");
}

}  // namespace
}  // namespace byoc
