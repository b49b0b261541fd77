#include "sdk/library/object/x86_features.hpp"

#include <algorithm>
#include <array>

namespace byoc {
namespace {

enum class Encoding { legacy, vex, evex, rex2 };

// Intel's manual, volume 2, 2.1 to 2.7: in 64-bit mode these bytes begin nothing else.
Encoding encoding_of(std::span<const std::uint8_t> bytes) {
  for (const std::uint8_t b : bytes) {
    if (b == 0x62) return Encoding::evex;
    if (b == 0xc4 || b == 0xc5) return Encoding::vex;
    if (b == 0xd5) return Encoding::rex2;
    constexpr std::array<std::uint8_t, 11> kPrefixes{0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67, 0xf0, 0xf2, 0xf3};
    if (std::find(kPrefixes.begin(), kPrefixes.end(), b) == kPrefixes.end()) return Encoding::legacy;
  }
  return Encoding::legacy;
}

// The start of a feature's opcodes.
struct Family {
  std::string_view start, feature;
};

// Opcodes with a VEX prefix that do not belong to AVX itself.
constexpr std::array kVex{
    Family{"KADD", "avx512f"},
    Family{"KAND", "avx512f"},
    Family{"KMOV", "avx512f"},
    Family{"KNOT", "avx512f"},
    Family{"KOR", "avx512f"},
    Family{"KSHIFT", "avx512f"},
    Family{"KTEST", "avx512f"},
    Family{"KUNPCK", "avx512f"},
    Family{"KXNOR", "avx512f"},
    Family{"KXOR", "avx512f"},
    Family{"ANDN32", "bmi"},
    Family{"ANDN64", "bmi"},
    Family{"BEXTR", "bmi"},
    Family{"BLS", "bmi"},
    Family{"BZHI", "bmi2"},
    Family{"MULX", "bmi2"},
    Family{"PDEP", "bmi2"},
    Family{"PEXT32", "bmi2"},
    Family{"PEXT64", "bmi2"},
    Family{"RORX", "bmi2"},
    Family{"SARX", "bmi2"},
    Family{"SHLX", "bmi2"},
    Family{"SHRX", "bmi2"},
    Family{"VFMADD", "fma"},
    Family{"VFMSUB", "fma"},
    Family{"VFNMADD", "fma"},
    Family{"VFNMSUB", "fma"},
    Family{"VCVTPH2PS", "f16c"},
    Family{"VCVTPS2PH", "f16c"},
    Family{"VPBROADCAST", "avx2"},
    Family{"VBROADCASTSSrr", "avx2"},
    Family{"VBROADCASTSSYrr", "avx2"},
    Family{"VBROADCASTSDYrr", "avx2"},
    Family{"VBROADCASTI128", "avx2"},
    Family{"VPGATHER", "avx2"},
    Family{"VGATHER", "avx2"},
    Family{"VPERMQ", "avx2"},
    Family{"VPERMD", "avx2"},
    Family{"VPERMPS", "avx2"},
    Family{"VPERMPD", "avx2"},
    Family{"VPERM2I128", "avx2"},
    Family{"VINSERTI128", "avx2"},
    Family{"VEXTRACTI128", "avx2"},
    Family{"VPSLLV", "avx2"},
    Family{"VPSRLV", "avx2"},
    Family{"VPSRAV", "avx2"},
    Family{"VPBLENDD", "avx2"},
    Family{"VPMASKMOV", "avx2"},
    Family{"VMPSADBWY", "avx2"},
    Family{"VMOVNTDQAY", "avx2"},
    Family{"VPDPBU", "avxvnni"},
    Family{"VPDPWS", "avxvnni"},
    Family{"VPDPB", "avxvnniint8"},
    Family{"VPDPW", "avxvnniint16"},
    Family{"VAES", "aes"},
    Family{"VPCLMULQDQ", "pclmul"},
    Family{"VGF2P8", "gfni"},
    Family{"TILE", "amx-tile"},
    Family{"TDP", "amx-int8"},
    Family{"LDTILECFG", "amx-tile"},
    Family{"STTILECFG", "amx-tile"},
};

// Opcodes of AVX, though their name and size look like AVX2's.
constexpr std::array<std::string_view, 3> kOfAvx{"VPERMILP", "VPERM2F128", "VPTEST"};

// Opcodes with neither prefix, beyond SSE2.
constexpr std::array kLegacy{
    Family{"ADDSUBP", "sse3"},      Family{"HADDP", "sse3"},       Family{"HSUBP", "sse3"},
    Family{"LDDQU", "sse3"},        Family{"MOVDDUP", "sse3"},     Family{"MOVSHDUP", "sse3"},
    Family{"MOVSLDUP", "sse3"},     Family{"ISTT_", "sse3"},       Family{"PABS", "ssse3"},
    Family{"PALIGNR", "ssse3"},     Family{"PHADD", "ssse3"},      Family{"PHSUB", "ssse3"},
    Family{"PMADDUBSW", "ssse3"},   Family{"PMULHRSW", "ssse3"},   Family{"PSHUFB", "ssse3"},
    Family{"PSIGN", "ssse3"},       Family{"BLENDP", "sse4.1"},    Family{"BLENDVP", "sse4.1"},
    Family{"DPP", "sse4.1"},        Family{"EXTRACTPS", "sse4.1"}, Family{"INSERTPS", "sse4.1"},
    Family{"MOVNTDQArm", "sse4.1"}, Family{"MPSADBW", "sse4.1"},   Family{"PACKUSDW", "sse4.1"},
    Family{"PBLEND", "sse4.1"},     Family{"PCMPEQQ", "sse4.1"},   Family{"PEXTRB", "sse4.1"},
    Family{"PEXTRD", "sse4.1"},     Family{"PEXTRQ", "sse4.1"},    Family{"PHMINPOSUW", "sse4.1"},
    Family{"PINSRB", "sse4.1"},     Family{"PINSRD", "sse4.1"},    Family{"PINSRQ", "sse4.1"},
    Family{"PMAXSB", "sse4.1"},     Family{"PMAXSD", "sse4.1"},    Family{"PMAXUD", "sse4.1"},
    Family{"PMAXUW", "sse4.1"},     Family{"PMINSB", "sse4.1"},    Family{"PMINSD", "sse4.1"},
    Family{"PMINUD", "sse4.1"},     Family{"PMINUW", "sse4.1"},    Family{"PMOVSX", "sse4.1"},
    Family{"PMOVZX", "sse4.1"},     Family{"PMULDQ", "sse4.1"},    Family{"PMULLD", "sse4.1"},
    Family{"PTEST", "sse4.1"},      Family{"ROUNDP", "sse4.1"},    Family{"ROUNDS", "sse4.1"},
    Family{"CRC32", "crc32"},       Family{"PCMPESTR", "sse4.2"},  Family{"PCMPISTR", "sse4.2"},
    Family{"PCMPGTQ", "sse4.2"},    Family{"POPCNT", "popcnt"},    Family{"LZCNT", "lzcnt"},
    Family{"MOVBE", "movbe"},       Family{"AESDEC", "aes"},       Family{"AESENC", "aes"},
    Family{"AESIMC", "aes"},        Family{"AESKEYGEN", "aes"},    Family{"PCLMULQDQ", "pclmul"},
    Family{"SHA1", "sha"},          Family{"SHA256", "sha"},       Family{"GF2P8", "gfni"},
    Family{"ADCX", "adx"},          Family{"ADOX", "adx"},         Family{"RDRAND", "rdrnd"},
    Family{"RDSEED", "rdseed"},     Family{"CMPXCHG16B", "cx16"},  Family{"XBEGIN", "rtm"},
    Family{"MOVDIR", "movdiri"},
};

std::string_view find(std::span<const Family> families, std::string_view opcode) {
  const auto found =
      std::find_if(families.begin(), families.end(), [&](const Family& f) { return opcode.starts_with(f.start); });
  return found == families.end() ? std::string_view() : found->feature;
}

// VPADDDYrr: integers in registers of 256 bits.
bool is_wide_integer(std::string_view opcode) {
  if (!opcode.starts_with("VP") && !opcode.starts_with("VMPSADBW")) return false;
  if (std::any_of(kOfAvx.begin(), kOfAvx.end(), [&](std::string_view s) { return opcode.starts_with(s); }))
    return false;
  const std::size_t y = opcode.rfind('Y');
  return y != std::string_view::npos && y + 1 < opcode.size() && (opcode[y + 1] == 'r' || opcode[y + 1] == 'm');
}

}  // namespace

std::string_view x86_feature(std::string_view opcode, std::span<const std::uint8_t> bytes) {
  switch (encoding_of(bytes)) {
    case Encoding::evex: return "avx512f";
    case Encoding::rex2: return "egpr";
    case Encoding::vex: {
      const std::string_view of_family = find(kVex, opcode);
      if (!of_family.empty()) return of_family;
      return is_wide_integer(opcode) ? "avx2" : "avx";
    }
    case Encoding::legacy: {
      if (opcode.starts_with("MMX_")) opcode.remove_prefix(4);
      return find(kLegacy, opcode);
    }
  }
  return {};
}

}  // namespace byoc
