// Constants of which a file has only what is not 0.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tests/unit/import_tflite/models.hpp"

namespace byoc::test {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;

std::unique_ptr<schema::DimensionMetadataT> dense(std::int32_t size) {
  auto out = std::make_unique<schema::DimensionMetadataT>();
  out->dense_size = size;
  return out;
}

template <class SegmentsT, class IndicesT>
std::unique_ptr<schema::DimensionMetadataT> sparse(decltype(SegmentsT::values) segments,
                                                   decltype(IndicesT::values) indices) {
  auto out = std::make_unique<schema::DimensionMetadataT>();
  out->format = schema::DimensionType::SPARSE_CSR;
  SegmentsT s;
  s.values = std::move(segments);
  out->array_segments.Set(std::move(s));
  IndicesT i;
  i.values = std::move(indices);
  out->array_indices.Set(std::move(i));
  return out;
}

// y = x + DENSIFY(w), w of f32[rows, cols].
TfliteWriter model(const std::vector<std::int32_t>& shape, const std::vector<float>& stored,
                   std::vector<std::int32_t> order, std::vector<std::int32_t> blocks) {
  TfliteWriter w;
  std::vector<std::uint8_t> bytes(stored.size() * sizeof(float));
  std::memcpy(bytes.data(), stored.data(), bytes.size());
  w.add("x", kF32, shape);
  w.constant("w", kF32, shape, bytes);
  w.add("d", kF32, shape);
  w.add("y", kF32, shape);
  w.add_operator(BuiltinOperator::DENSIFY, {1}, {2});
  w.add_operator(BuiltinOperator::ADD, {0, 2}, {3});
  w.boundary({0}, {3});
  w.tensor(1).sparsity = std::make_unique<schema::SparsityParametersT>();
  w.tensor(1).sparsity->traversal_order = std::move(order);
  w.tensor(1).sparsity->block_map = std::move(blocks);
  return w;
}

std::vector<float> elements(const TfliteWriter& w) {
  Diagnostics diags;
  const auto graph = import_bytes(w.bytes(), diags);
  EXPECT_TRUE(graph) << diags.all().front().message;
  if (!graph) return {};
  for (const ir::Value& v : graph->values)
    if (v.constant && v.name == "w") {
      std::vector<float> out(v.constant->bytes.size() / sizeof(float));
      std::memcpy(out.data(), v.constant->bytes.bytes().data(), v.constant->bytes.size());
      return out;
    }
  return {};
}

TEST(TfliteSparse, RowsOfWhatIsThere) {
  TfliteWriter w = model({3, 4}, {1, 2, 3}, {0, 1}, {});
  auto& levels = w.tensor(1).sparsity->dim_metadata;
  levels.push_back(dense(3));
  levels.push_back(sparse<schema::Uint8VectorT, schema::Uint16VectorT>({0, 2, 2, 3}, {1, 3, 0}));
  EXPECT_THAT(elements(w), ElementsAre(0, 1, 0, 2, 0, 0, 0, 0, 3, 0, 0, 0));
}

TEST(TfliteSparse, ColumnsFirst) {
  TfliteWriter w = model({2, 3}, {1, 2, 3}, {1, 0}, {});
  auto& levels = w.tensor(1).sparsity->dim_metadata;
  levels.push_back(sparse<schema::Int32VectorT, schema::Int32VectorT>({0, 2}, {0, 2}));
  levels.push_back(sparse<schema::Int32VectorT, schema::Int32VectorT>({0, 1, 3}, {1, 0, 1}));
  EXPECT_THAT(elements(w), ElementsAre(0, 0, 2, 1, 0, 3));
}

// Blocks of 2 by 2, of which two are there; inside of them all is.
TEST(TfliteSparse, Blocks) {
  TfliteWriter w = model({4, 4}, {1, 2, 3, 4, 5, 6, 7, 8}, {0, 1, 2, 3}, {0, 1});
  auto& levels = w.tensor(1).sparsity->dim_metadata;
  levels.push_back(dense(2));
  levels.push_back(sparse<schema::Uint8VectorT, schema::Uint8VectorT>({0, 1, 2}, {1, 0}));
  levels.push_back(dense(2));
  levels.push_back(dense(2));
  EXPECT_THAT(elements(w), ElementsAreArray({0, 0, 1, 2, 0, 0, 3, 4, 5, 6, 0, 0, 7, 8, 0, 0}));
}

TEST(TfliteSparse, WhatIsWrongIsSaid) {
  const auto error = [](const std::function<void(schema::SparsityParametersT&, TfliteWriter&)>& change) {
    TfliteWriter w = model({3, 4}, {1, 2, 3}, {0, 1}, {});
    auto& levels = w.tensor(1).sparsity->dim_metadata;
    levels.push_back(dense(3));
    levels.push_back(sparse<schema::Uint8VectorT, schema::Uint8VectorT>({0, 2, 2, 3}, {1, 3, 0}));
    change(*w.tensor(1).sparsity, w);
    return errors(w.bytes());
  };
  EXPECT_THAT(
      error([](auto& s, auto&) { s.dim_metadata.pop_back(); }),
      HasSubstr("'tensor 1 'w'': its sparsity has another number of levels than it has dims and blocks (found 2 "
                "and 1, expected 2)"));
  EXPECT_THAT(error([](auto& s, auto&) { s.traversal_order = {0, 0}; }),
              HasSubstr("its sparsity visits no permutation of the dims and then of the blocks (found 0)"));
  EXPECT_THAT(error([](auto& s, auto&) {
                s.block_map = {1};
                s.traversal_order = {0, 1, 2};
                s.dim_metadata.push_back(dense(3));
              }),
              HasSubstr("its sparsity has blocks that do not divide a dim (found 3 of dim 1)"));
  EXPECT_THAT(error([](auto& s, auto&) { s.dim_metadata[0]->dense_size = 4; }),
              HasSubstr("a level of its sparsity has another size than the dim or block (found 4, expected 3)"));
  const auto rows = [&](std::vector<std::uint8_t> segments, std::vector<std::uint8_t> indices) {
    return error([&](auto& s, auto&) {
      s.dim_metadata[1] = sparse<schema::Uint8VectorT, schema::Uint8VectorT>(segments, indices);
    });
  };
  EXPECT_THAT(rows({0, 2, 1, 3}, {1, 3, 0}),
              HasSubstr("its sparsity has segments that are none (expected rising numbers "
                        "up to 3)"));
  EXPECT_THAT(rows({0, 2, 2, 4}, {1, 3, 0}), HasSubstr("its sparsity has segments that are none"));
  EXPECT_THAT(rows({0, 2, 2, 3}, {1, 4, 0}), HasSubstr("its sparsity has an index out of range (found 4, expected less "
                                                       "than 4)"));
  EXPECT_THAT(rows({0, 2, 3}, {1, 3, 0}),
              HasSubstr("its sparsity has too few segments (found 3, expected more than 3)"));
  EXPECT_THAT(rows({0, 1, 1, 2}, {1, 0, 0}),
              HasSubstr("its buffer does not have the elements that its sparsity says (found "
                        "12 bytes, expected 8 bytes)"));
  EXPECT_THAT(rows({0, 2, 2, 4}, {1, 3, 0, 1}),
              HasSubstr("its buffer does not have the elements that its sparsity says "
                        "(found 12 bytes, expected more)"));
  EXPECT_THAT(
      error([](auto&, auto& w) {
        for (const std::size_t t : {0U, 1U, 2U, 3U}) w.tensor(t).shape = {3, 400000};
      }),
      HasSubstr("a sparse constant is too large for what is stored of it (found 4800000 bytes, expected at most 256 "
                "MiB, and 1024 times the stored bytes)"));
  EXPECT_THAT(error([](auto&, auto& w) { w.op(0).inputs = {0}; }),
              HasSubstr("a tensor that is no constant (found input 0 'x', expected a sparse constant)"));
}

}  // namespace
}  // namespace byoc::test
