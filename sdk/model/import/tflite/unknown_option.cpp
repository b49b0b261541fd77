#include "sdk/model/import/tflite/unknown_option.hpp"

namespace byoc::tflite {

std::optional<int> unknown_option(const schema::Operator& op) {
  const auto type = op.builtin_options_type();
  const auto* table = static_cast<const flatbuffers::Table*>(op.builtin_options());
  // Options of a kind that is not known, or of none, have not been verified; the operator refuses them or does without.
  if (table == nullptr || type == schema::BuiltinOptions::NONE || *schema::EnumNameBuiltinOptions(type) == '\0')
    return std::nullopt;
  schema::BuiltinOptionsUnion read;
  read.type = type;
  read.value = schema::BuiltinOptionsUnion::UnPack(table, type, nullptr);
  flatbuffers::FlatBufferBuilder builder;
  builder.ForceDefaults(true);
  builder.Finish(flatbuffers::Offset<flatbuffers::Table>(read.Pack(builder).o));
  const auto* known = flatbuffers::GetRoot<flatbuffers::Table>(builder.GetBufferPointer());
  constexpr int kFirst = 4;  // what a vtable begins with: its size and the table's
  const auto end = flatbuffers::ReadScalar<flatbuffers::voffset_t>(table->GetVTable());
  for (int field = kFirst; field < end; field += 2) {
    const auto at = static_cast<flatbuffers::voffset_t>(field);
    if (table->GetOptionalFieldOffset(at) != 0 && known->GetOptionalFieldOffset(at) == 0) return (field - kFirst) / 2;
  }
  return std::nullopt;
}

}  // namespace byoc::tflite
