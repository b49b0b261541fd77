#include "sdk/program/graphjson/packed_type.hpp"

#include <gtest/gtest.h>

namespace byoc {
namespace {

TEST(PackedType, ReadsWhatItWrites) {
  for (const char* text : {"int8", "uint8", "bool", "float32", "bfloat16", "int4", "float32x4", "handle"}) {
    const auto type = read_packed_type(text);
    ASSERT_TRUE(type) << text;
    EXPECT_EQ(to_string(*type), text);
  }
  EXPECT_EQ(to_string(*read_packed_type("uint1")), "bool");
  EXPECT_EQ(read_packed_type("float")->bits, 32);
  for (const char* text : {"", "int0", "int300", "float32x", "float32x0", "complex64", "int8 ", "int-8"})
    EXPECT_FALSE(read_packed_type(text)) << text;
}

TEST(PackedType, AnElementHasWholeBytes) {
  EXPECT_EQ(tensor_bytes(*read_packed_type("int4"), std::vector<std::int64_t>{3}), 3U);
  EXPECT_EQ(tensor_bytes(*read_packed_type("bool"), std::vector<std::int64_t>{2, 2}), 4U);
  EXPECT_EQ(tensor_bytes(*read_packed_type("float32x4"), std::vector<std::int64_t>{2}), 32U);
  EXPECT_EQ(tensor_bytes(*read_packed_type("float64"), {}), 8U);
}

TEST(PackedType, WhatCannotBeCountedHasNoSize) {
  const std::vector<std::int64_t> large(3, std::int64_t{1} << 40), negative{2, -1};
  EXPECT_FALSE(tensor_bytes(*read_packed_type("int8"), large));
  EXPECT_FALSE(tensor_bytes(*read_packed_type("int8"), negative));
  EXPECT_EQ(tensor_bytes(*read_packed_type("int8"), std::vector<std::int64_t>{std::int64_t{1} << 60, 8, 0}), 0U);
}

TEST(PackedType, EveryNumberOfModelsThatIsNotSmallHasOne) {
  for (std::uint32_t t = 1; t < kElementTypeCount; ++t) {
    const auto dtype = static_cast<DType>(t);
    const ElementKind kind = element_row(dtype).kind;
    const bool wanted = kind != ElementKind::text && (!is_small(dtype) || kind != ElementKind::real);
    EXPECT_EQ(packed_type(dtype).has_value(), wanted) << t;
  }
}

}  // namespace
}  // namespace byoc
