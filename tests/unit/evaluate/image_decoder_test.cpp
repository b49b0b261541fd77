// Pictures in files: what is in them, and files that are damaged on purpose.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "sdk/model/evaluate/images/image.hpp"

namespace byoc::evaluate {
namespace {

using testing::HasSubstr;

std::vector<std::uint8_t> bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

std::string problem(const std::vector<std::uint8_t>& file) {
  const Decoded d = decode_image(file);
  return std::holds_alternative<Picture>(d) ? "" : std::get<std::string>(d);
}

std::vector<std::uint8_t> pixels(const std::vector<std::uint8_t>& file) {
  const Decoded d = decode_image(file);
  EXPECT_TRUE(std::holds_alternative<Picture>(d)) << problem(file);
  return std::holds_alternative<Picture>(d) ? std::get<Picture>(d).rgb : std::vector<std::uint8_t>();
}

TEST(Pictures, pnm) {
  using Bytes = std::vector<std::uint8_t>;
  EXPECT_EQ(pixels(bytes_of("P3 # two pixels\n2 1 255 1 2 3\n250 0 9")), (Bytes{1, 2, 3, 250, 0, 9}));
  EXPECT_EQ(pixels(bytes_of("P2\n1 2\n15\n0 15")), (Bytes{0, 0, 0, 255, 255, 255}));
  EXPECT_EQ(pixels(bytes_of("P1\n3 1\n1 01")), (Bytes{0, 0, 0, 255, 255, 255, 0, 0, 0}));
  EXPECT_EQ(pixels(bytes_of("P6 1 1 255\nabc")), (Bytes{'a', 'b', 'c'}));
  EXPECT_EQ(pixels(bytes_of("P5 1 2 255\nab")), (Bytes{'a', 'a', 'a', 'b', 'b', 'b'}));
  std::vector<std::uint8_t> bits = bytes_of("P4 9 1\n");
  bits.insert(bits.end(), {0x80, 0x80});
  EXPECT_EQ(pixels(bits)[0], 0);
  EXPECT_EQ(pixels(bits)[3], 255);
  EXPECT_EQ(pixels(bits)[24], 0);
}

std::vector<std::uint8_t> bmp(std::int32_t height) {
  std::vector<std::uint8_t> out(54);
  out[0] = 'B', out[1] = 'M', out[10] = 54, out[14] = 40, out[18] = 2, out[26] = 1, out[28] = 24;
  for (int i = 0; i < 4; ++i) out[22 + static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(height >> 8 * i);
  for (const int b : {1, 2, 3, 4, 5, 6, 0, 0, 7, 8, 9, 10, 11, 12, 0, 0}) out.push_back(static_cast<std::uint8_t>(b));
  return out;
}

TEST(Pictures, bmp) {
  using Bytes = std::vector<std::uint8_t>;
  EXPECT_EQ(pixels(bmp(2)), (Bytes{9, 8, 7, 12, 11, 10, 3, 2, 1, 6, 5, 4}));
  EXPECT_EQ(pixels(bmp(-2)), (Bytes{3, 2, 1, 6, 5, 4, 9, 8, 7, 12, 11, 10}));
}

TEST(Pictures, ofNoUseAreErrors) {
  EXPECT_THAT(problem({}), HasSubstr("a format that is not known"));
  EXPECT_THAT(problem(bytes_of("hello")), HasSubstr("a format that is not known"));
  EXPECT_THAT(problem(bytes_of("P6 1 1 255\nab")), HasSubstr("cut or damaged"));
  EXPECT_THAT(problem(bytes_of("P6 1 1 70000\nab")), HasSubstr("a PNM header that is damaged"));
  EXPECT_THAT(problem(bytes_of("P6 0 1 255\n")), HasSubstr("a picture of 0x1 pixels"));
  EXPECT_THAT(problem(bytes_of("P6 4000000 4000000 255\n")), HasSubstr("which are more than"));
  EXPECT_THAT(problem(bmp(3)), HasSubstr("a BMP file that is cut"));
  std::vector<std::uint8_t> packed = bmp(2);
  packed[30] = 1;
  EXPECT_THAT(problem(packed), HasSubstr("without compression"));
  for (const std::string_view start : {std::string_view("\xff\xd8\xff\xe0"), std::string_view("\x89PNG\r\n\x1a\n"),
                                       std::string_view("II*\0\x08\0\0\0", 8), std::string_view("RIFF\0\0\0\0WEBP", 12),
                                       std::string_view("\0\0\0\x0cjP  \r\n\x87\n", 12)})
    EXPECT_NE(problem(bytes_of(start)), "");
}

// A build that had no header of a library refuses its format by name, and only that.
TEST(Pictures, withoutALibrary) {
  std::vector<ImageFormat> formats(image_formats().begin(), image_formats().end());
  for (ImageFormat& f : formats)
    if (*f.library != '\0') f.decode = nullptr;
  const auto problem_of = [&](std::string_view start) {
    const Decoded d = decode_image(bytes_of(start), formats);
    return std::holds_alternative<Picture>(d) ? "" : std::get<std::string>(d);
  };
  EXPECT_EQ(problem_of("\xff\xd8\xff\xe0"), "JPEG, and this byoc was built without libjpeg-turbo");
  EXPECT_EQ(problem_of("\xff\x4f\xff\x51"), "JPEG 2000, and this byoc was built without OpenJPEG");
  EXPECT_EQ(problem_of("\x89PNG\r\n\x1a\n"), "PNG, and this byoc was built without libpng");
  EXPECT_EQ(problem_of({"II*\0", 4}), "TIFF, and this byoc was built without libtiff");
  EXPECT_EQ(problem_of("RIFF"), "WebP, and this byoc was built without libwebp");
  EXPECT_EQ(problem_of("P6 1 1 255\nabc"), "");
}

// No file of random bytes, or cut, takes more than it may.
TEST(Pictures, damagedOnesEnd) {
  std::mt19937 random(1);
  const std::string_view starts[] = {"P6 9 9 255\n",
                                     "P4 77 3\n",
                                     "\x89PNG\r\n\x1a\n",
                                     std::string_view("II*\0\x08\0\0\0", 8),
                                     "\xff\xd8\xff\xe0",
                                     std::string_view("\0\0\0\x0cjP  \r\n\x87\n", 12),
                                     "BM"};
  for (int i = 0; i < 700; ++i) {
    std::vector<std::uint8_t> file = bytes_of(starts[static_cast<std::size_t>(i) % std::size(starts)]);
    for (std::size_t n = random() % 300; n > 0; --n) file.push_back(static_cast<std::uint8_t>(random()));
    (void)decode_image(file);
  }
}

}  // namespace
}  // namespace byoc::evaluate
