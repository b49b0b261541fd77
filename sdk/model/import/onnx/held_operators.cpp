// The operators of sequences and optionals, those of strings, and pictures in files, in the table of operators.
#include "sdk/model/import/onnx/operators.hpp"

namespace byoc::onnx_import {
namespace {

using Kind = AttributeKind;

}  // namespace

void add_held(std::vector<OperatorRule>& rules) {
  const AttributeRule axis{"axis", Kind::integer};
  rules.push_back({"",
                   "ConcatFromSequence",
                   11,
                   kLast,
                   1,
                   1,
                   1,
                   {{"axis", Kind::integer, 1, kLast, true}, {"new_axis", Kind::integer}}});
  rules.push_back({"", "Optional", 15, kLast, 0, 1, 1, {{"type", Kind::type}}});
  rules.push_back({"", "OptionalGetElement", 15, kLast, 1, 1, 1, {}});
  rules.push_back({"", "OptionalHasElement", 15, 17, 1, 1, 1, {}});
  rules.push_back({"", "OptionalHasElement", 18, kLast, 0, 1, 1, {}});
  rules.push_back({"", "SequenceAt", 11, kLast, 2, 2, 1, {}});
  rules.push_back({"", "SequenceConstruct", 11, kLast, 1, kAnyNumber, 1, {}});
  rules.push_back({"", "SequenceEmpty", 11, kLast, 0, 0, 1, {{"dtype", Kind::integer}}});
  rules.push_back({"", "SequenceErase", 11, kLast, 1, 2, 1, {}});
  rules.push_back({"", "SequenceInsert", 11, kLast, 2, 3, 1, {}});
  rules.push_back({"", "SequenceLength", 11, kLast, 1, 1, 1, {}});
  rules.push_back({"",
                   "SequenceMap",
                   17,
                   kLast,
                   1,
                   kAnyNumber,
                   kAnyNumber,
                   {{"body", Kind::graph, 1, kLast, true}},
                   normalise_sequence_map});
  rules.back().first_output_optional = true;
  rules.push_back({"", "SplitToSequence", 11, kLast, 1, 2, 1, {axis, {"keepdims", Kind::integer}}});
}

void add_strings(std::vector<OperatorRule>& rules) {
  rules.push_back({"", "ImageDecoder", 20, kLast, 1, 1, 1, {{"pixel_format", Kind::text}}});
  rules.push_back({"", "RegexFullMatch", 20, kLast, 1, 1, 1, {{"pattern", Kind::text, 1, kLast, true}}});
  rules.push_back({"", "StringConcat", 20, kLast, 2, 2, 1, {}});
  rules.push_back({"",
                   "StringNormalizer",
                   10,
                   kLast,
                   1,
                   1,
                   1,
                   {{"case_change_action", Kind::text},
                    {"is_case_sensitive", Kind::integer},
                    {"locale", Kind::text},
                    {"stopwords", Kind::texts}}});
  rules.push_back({"", "StringSplit", 20, kLast, 1, 1, 2, {{"delimiter", Kind::text}, {"maxsplit", Kind::integer}}});
  rules.back().first_output_optional = true;
  rules.push_back({"ai.onnx.ml",
                   "LabelEncoder",
                   1,
                   1,
                   1,
                   1,
                   1,
                   {{"classes_strings", Kind::texts}, {"default_int64", Kind::integer}, {"default_string", Kind::text}},
                   normalise_label_encoder});
  rules.push_back({"ai.onnx.ml",
                   "LabelEncoder",
                   2,
                   kNewestMl,
                   1,
                   1,
                   1,
                   {{"default_tensor", Kind::tensor, 4},
                    {"default_float", Kind::real},
                    {"default_int64", Kind::integer},
                    {"default_string", Kind::text},
                    {"keys_tensor", Kind::tensor, 4},
                    {"keys_floats", Kind::reals},
                    {"keys_int64s", Kind::integers},
                    {"keys_strings", Kind::texts},
                    {"values_tensor", Kind::tensor, 4},
                    {"values_floats", Kind::reals},
                    {"values_int64s", Kind::integers},
                    {"values_strings", Kind::texts}},
                   normalise_label_encoder});
  rules.push_back({"ai.onnx.ml",
                   "CategoryMapper",
                   1,
                   kNewestMl,
                   1,
                   1,
                   1,
                   {{"cats_int64s", Kind::integers, 1, kNewestMl, true},
                    {"cats_strings", Kind::texts, 1, kNewestMl, true},
                    {"default_int64", Kind::integer},
                    {"default_string", Kind::text}},
                   normalise_label_encoder});
}

}  // namespace byoc::onnx_import
