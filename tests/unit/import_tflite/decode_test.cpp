// DECODE: packed constants become constants.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/flex_options.hpp"
#include "tests/unit/import_tflite/models.hpp"

namespace byoc::test {
namespace {

using testing::HasSubstr;
using Bytes = std::vector<std::uint8_t>;

Bytes header(std::uint8_t method, std::uint8_t flags, std::uint8_t stride, const Bytes& table) {
  Bytes out{method, 1, 0, 0, 1, flags, stride, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  out.insert(out.end(), table.begin(), table.end());
  return out;
}

// y, of what is packed, added to x of its type.
TfliteWriter decode_model(const Bytes& data, const Bytes& described, TensorType type, std::vector<std::int32_t> shape,
                          const TfliteQuantisation& how = {}) {
  TfliteWriter w;
  w.constant("data", TensorType::UINT8, {static_cast<std::int32_t>(data.size())}, data);
  w.constant("header", TensorType::UINT8, {static_cast<std::int32_t>(described.size())}, described);
  w.add("y", type, std::move(shape), how);
  add_custom(w, "DECODE", {0, 1}, {2});
  w.op(0).custom_options.clear();
  w.boundary({}, {2});
  return w;
}

// The elements of the tensor, as the text of the graph has them.
std::string decoded(const TfliteWriter& w) {
  const std::string text = imported(w);
  const std::size_t at = text.find("\"y\" : ");
  if (at == std::string::npos) return text;
  const std::size_t from = text.find("= [", at), to = text.find(']', from);
  return from == std::string::npos ? text : text.substr(from + 2, to - from - 1);
}

TEST(TfliteDecode, looksUp) {
  // Three bits each, the highest first: 1 0 7 3, of values 0 10 20 ... 70.
  const Bytes table{0, 10, 20, 30, 40, 50, 60, 70};
  EXPECT_EQ(decoded(decode_model({0b00100011, 0b10110000}, header(0, 3, 8, table), kI8, {4})), "[10, 0, 70, 30]");
  // A table for each channel, along the first dim and the last.
  const Bytes two{1, 2, 11, 12};
  EXPECT_EQ(decoded(decode_model({0b01010000}, header(0, 1, 2, two), kI8, {2, 2}, {{1, 1}, {0, 0}, 0})),
            "[1, 2, 11, 12]");
  EXPECT_EQ(decoded(decode_model({0b01010000}, header(0, 1, 2, two), kI8, {2, 2}, {{1, 1}, {0, 0}, 1})),
            "[1, 12, 1, 12]");
  EXPECT_EQ(decoded(decode_model({0b01000000}, header(0, 1, 2, {1, 0, 0, 2}), kI16, {2})), "[1, 512]");
}

TEST(TfliteDecode, prunes) {
  EXPECT_EQ(decoded(decode_model({0b01011000}, header(2, 0, 0, {7, 8, 9}), kI8, {5}, q(1, -3))), "[-3, 7, -3, 8, 9]");
  EXPECT_EQ(decoded(decode_model({0b01000000}, header(2, 0, 0, {7}), kI8, {2, 2}, {{1, 1}, {-1, 5}, 0})),
            "[-1, 7, 5, 5]");
  EXPECT_EQ(decoded(decode_model({0b01000000}, header(2, 0, 0, {7, 1}), kI16, {2})), "[0, 263]");
}

// a: 0, b: 10, c: 110, d: 111. The first table takes two bits; of 11 the second takes one more.
Bytes tree(bool wide, int more = 0) {
  const std::uint32_t found = wide ? 0x80000000U : 0x8000U;
  const int shift = wide ? 27 : 11;
  const auto symbol = [&](std::uint32_t bits, std::uint32_t v) { return found | bits << shift | v; };
  // The entry of 11 is number 3; the two that follow it are 1 further on. 0 stands for one bit less.
  const std::uint32_t entries[] = {symbol(1, 'a'), symbol(1, 'a'), symbol(2, 'b'), static_cast<std::uint32_t>(1 + more),
                                   symbol(1, 'c'), symbol(1, 'd')};
  Bytes out;
  for (const std::uint32_t e : entries)
    for (int i = 0; i < (wide ? 4 : 2); ++i) out.push_back(static_cast<std::uint8_t>(e >> (8 * i)));
  return out;
}

TEST(TfliteDecode, readsHuffmanCodes) {
  const Bytes codes{0b01011011, 0b10000000};  // a b c d a
  EXPECT_EQ(decoded(decode_model(codes, header(1, 0x10, 0, tree(false)), kI8, {5})), "[97, 98, 99, 100, 97]");
  EXPECT_EQ(decoded(decode_model(codes, header(1, 0x11, 0, tree(true)), kI16, {5})), "[97, 98, 99, 100, 97]");
}

TEST(TfliteDecode, givesConstantsToWhatFollows) {
  TfliteWriter w = conv_model();
  w.constant("data", TensorType::UINT8, {9}, Bytes(9, 0xff));
  w.constant("header", TensorType::UINT8, {16 + 72}, header(2, 0, 0, Bytes(72, 1)));
  w.tensor(1).buffer = 0;
  add_custom(w, "DECODE", {4, 5}, {1});
  std::swap(w.graph().operators[0], w.graph().operators[1]);
  EXPECT_EQ(errors(w.bytes()), "");
  w.op(0).outputs = {1, 1};
  w.op(0).inputs = {4, 5, 4, 5};
  EXPECT_THAT(errors(w.bytes()), HasSubstr("computes a tensor that is already given"));
}

TEST(TfliteDecode, refusals) {
  const Bytes table{0, 10};
  const auto with = [&](std::size_t at, std::uint8_t value) {
    Bytes h = header(0, 1, 2, table);
    h[at] = value;
    return decode_model({0}, h, kI8, {4});
  };
  TfliteWriter not_constant = with(0, 0), odd = with(0, 0);
  not_constant.tensor(0).buffer = 0;
  not_constant.boundary({0}, {2});
  odd.op(0).inputs.push_back(0);
  const std::pair<TfliteWriter, const char*> kAll[] = {
      {with(0, 127), "unsupported packing of input 0 'data' (found number 127, expected 0 (look-up), 1 (Huffman) or 2"},
      {with(1, 2), "unsupported version of the packing of input 0 'data' (found 2, expected 1)"},
      {with(4, 0), "unsupported version of the packing of input 0 'data' (found 0, expected 1)"},
      {with(5, 0), "unsupported width of indices in input 0 'data' (found 0, expected 1 to 7)"},
      {with(5, 7), "the list of input 0 'data' is too short (found 1 bytes)"},
      {decode_model({0xff}, header(0, 2, 2, table), kI8, {4}),
       "the table of input 0 'data' is too short (found 2 bytes)"},
      {decode_model({0xff}, header(2, 0, 0, table), kI8, {4}), "the table of input 0 'data' is too short"},
      {decode_model({0xff}, header(2, 0, 0, table), kI8, {9}), "the list of input 0 'data' is too short"},
      {decode_model({0xff}, header(2, 0, 0, table), kI16, {1}, q(1, 2)), "unsupported zero point of the output 'y'"},
      {decode_model({0xff}, {0, 1}, kI8, {4}),
       "the header in input 1 'header' is too short (found 2 bytes, expected 16)"},
      {decode_model({0xff}, header(0, 1, 2, table), TensorType::UINT8, {4}), "unsupported element type of the output"},
      {decode_model({0xff}, header(1, 0x10, 0, tree(false)), kI16, {2}),
       "unsupported element type of the output 'y' (found i16, expected i8)"},
      {decode_model({0xff}, header(1, 0x10, 0, tree(false, 100)), kI8, {2}),
       "the table of input 0 'data' is too short"},
      {decode_model({0xff}, header(1, 0x10, 0, tree(false)), kI8, {4}), "the list of input 0 'data' is too short"},
      {decode_model({0xff}, header(0, 1, 2, table), kI8, {1, 2, 1}, {{1, 1}, {0, 0}, 1}),
       "unsupported axis of the quantisation of the output 'y' (found 1, expected 0 or 2)"},
      {not_constant, "what is decoded must be constant (found input 0 'data', expected a constant)"},
      {odd, "wrong number of inputs (found 3, expected 2)"},
  };
  for (const auto& [w, message] : kAll) EXPECT_THAT(errors(w.bytes()), HasSubstr(message));
}

}  // namespace
}  // namespace byoc::test
