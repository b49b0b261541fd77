// Timing tables of each core that has a pipeline; docs/simulation.md has the sources.
#include "sdk/run/cores/pipeline.hpp"

#include <algorithm>

namespace byoc {
namespace {

// A row of instructions that issue alone, for so many cycles.
constexpr Timing alone(std::string_view mnemonics, Form form, std::uint16_t units, std::uint8_t holds,
                       std::uint8_t latency = 1, std::uint8_t results = 1) {
  return {mnemonics, form, units, latency, 0, Pairs::alone, holds, results};
}

// Names that several tables have.
constexpr std::string_view kSums =
    "mla mls smlabb smlabt smlatb smlatt smlawb smlawt smlad smladx smlsd smlsdx smmla smmlar smmls smmlsr usada8";
constexpr std::string_view kLongSums =
    "smlal umlal umaal smlalbb smlalbt smlaltb smlaltt smlald smlaldx smlsld smlsldx";
constexpr std::string_view kProducts =
    "mul smulbb smulbt smultb smultt smulwb smulwt smuad smuadx smusd smusdx smmul smmulr";
constexpr std::string_view kLongProducts = "smull umull";
constexpr std::string_view kParallel =
    "sadd8 sadd16 ssub8 ssub16 uadd8 uadd16 usub8 usub16 shadd8 shadd16 shsub8 shsub16 uhadd8 uhadd16 uhsub8 uhsub16 "
    "sasx ssax uasx usax shasx shsax uhasx uhsax sel";
constexpr std::string_view kSaturated =
    "ssat usat ssat16 usat16 qadd qsub qdadd qdsub qadd8 qadd16 qsub8 qsub16 uqadd8 uqadd16 uqsub8 uqsub16 qasx qsax "
    "uqasx uqsax usad8";
constexpr std::string_view kExtended = "sxtb sxth uxtb uxth sxtb16 uxtb16";
constexpr std::string_view kExtendedSums = "sxtab sxtah uxtab uxtah sxtab16 uxtab16 pkhbt pkhtb";
constexpr std::string_view kFields = "sbfx ubfx";
constexpr std::string_view kReversed = "rev rev16 revsh rbit";
constexpr std::string_view kBinary = "add addw adc sub subw sbc rsb neg and orr orn eor bic movt";
constexpr std::string_view kMoves = "mov movw mvn adr";
constexpr std::string_view kShifts = "lsl lsr asr ror rrx";
constexpr std::string_view kCompares = "cmp cmn tst teq";
constexpr std::string_view kBranches = "b bl bx blx cbz cbnz";
constexpr std::string_view kSystem = "dsb dmb isb mrs msr cpsid cpsie bkpt";
constexpr std::string_view kLists = "ldm ldmia ldmdb pop vldmia vldmdb vpop";
constexpr std::string_view kStoredLists = "stm stmia stmdb push vstmia vstmdb vpush";
constexpr std::string_view kFloatArithmetic =
    "vabs vneg vadd vsub vmul vnmul vcvt vcvtr vcvtb vcvtt vcvta vcvtn vcvtp vcvtm vmaxnm vminnm vrinta vrintn vrintp "
    "vrintm vrintx vrintz vrintr vsel vseleq vselge vselgt vselvs";
constexpr std::string_view kFloatSums = "vmla vmls vnmla vnmls vfma vfms vfnma vfnms";

constexpr std::array kCortexM7 = {
    Timing{kBinary, Form::binary, kAlu},
    Timing{kMoves, Form::unary, kAlu},
    Timing{kShifts, Form::binary, kAlu | kShift},
    Timing{"bfc bfi", Form::sum, kAlu | kShift, 1, 0, Pairs::first},
    Timing{"clz", Form::unary, kAlu, 1, 0, Pairs::first},
    Timing{kExtended, Form::unary, kAlu | kSimd, 1, 0, Pairs::first},
    Timing{kFields, Form::unary, kAlu | kSimd | kShift, 1, 0, Pairs::first},
    Timing{kReversed, Form::unary, kAlu | kSimd | kShift, 1, 0, Pairs::first},
    Timing{kExtendedSums, Form::binary, kAlu | kSimd | kShift, 1, 0, Pairs::first},
    Timing{kParallel, Form::unary, kAlu | kSimd, 1, 0, Pairs::first},
    Timing{kSaturated, Form::unary, kAlu | kSimd | kShift, 2, 0, Pairs::first},
    Timing{kProducts, Form::binary, kMultiply, 2},
    Timing{kLongProducts, Form::unary, kMultiply, 2, 0, Pairs::free, 1, 2},
    Timing{kSums, Form::sum, kMultiply, 2, 1},
    Timing{kLongSums, Form::sum, kMultiply, 2, 1, Pairs::free, 1, 2},
    alone("sdiv udiv", Form::unary, kAlu, 7),
    Timing{kCompares, Form::test, kAlu},
    Timing{kBranches, Form::test, kBranch},
    Timing{"nop hint it", Form::test, kNone},
    alone(kSystem, Form::test, kNone, 3),
    alone("tbb tbh", Form::load, kLoad, 2),
    Timing{"ldr", Form::load, kLoad, 1},
    Timing{"ldrb ldrh ldrsb ldrsh", Form::load, kLoad, 2},
    Timing{"str strb strh vstr", Form::store, kStore, 1, 1},
    alone("ldrd", Form::load, kLoad, 1, 1, 2),
    alone("strd", Form::store, kStore, 1),
    alone(kLists, Form::load, kLoad, 1),
    alone(kStoredLists, Form::store, kStore, 1),
    Timing{"vldr", Form::load, kLoad, 1},
    Timing{kFloatArithmetic, Form::unary, kFloat, 3},
    Timing{kFloatSums, Form::sum, kFloat, 6, 3},
    Timing{"vmov", Form::unary, kNone, 3},
    Timing{"vcmp vcmpe", Form::test, kFloat},
    alone("vmrs vmsr", Form::test, kNone, 3),
    Timing{"vdiv vsqrt", Form::unary, kFloat, 16, 0, Pairs::free, 14},
};

constexpr std::array kCortexM33 = {
    Timing{"add sub", Form::binary, kNone, 1, 0, Pairs::light_number},
    Timing{kBinary, Form::binary, kAlu},
    Timing{"mov", Form::unary, kNone, 1, 0, Pairs::light},
    Timing{kMoves, Form::unary, kAlu},
    Timing{"sxtb sxth uxtb uxth", Form::unary, kNone, 1, 0, Pairs::light},
    Timing{kShifts, Form::binary, kAlu},
    Timing{"bfc bfi", Form::sum, kAlu},
    Timing{"clz", Form::unary, kAlu},
    Timing{kExtended, Form::unary, kAlu},
    Timing{kFields, Form::unary, kAlu, 2},
    Timing{kReversed, Form::unary, kAlu},
    Timing{kExtendedSums, Form::binary, kAlu, 2},
    Timing{kParallel, Form::unary, kAlu, 2},
    Timing{kSaturated, Form::unary, kAlu, 2},
    Timing{kProducts, Form::binary, kAlu, 2},
    Timing{kLongProducts, Form::unary, kAlu, 2, 0, Pairs::free, 1, 2},
    Timing{kSums, Form::sum, kAlu, 2},
    Timing{kLongSums, Form::sum, kAlu, 2, 0, Pairs::free, 1, 2},
    alone("sdiv udiv", Form::unary, kAlu, 12),
    Timing{kCompares, Form::test, kAlu},
    Timing{"b", Form::test, kNone, 1, 0, Pairs::light},
    Timing{kBranches, Form::test, kAlu},
    Timing{"nop hint it", Form::test, kNone, 1, 0, Pairs::light},
    alone(kSystem, Form::test, kNone, 2),
    alone("tbb tbh", Form::load, kAlu, 2),
    Timing{"ldr ldrb ldrh ldrsb ldrsh", Form::load, kAlu, 2},
    Timing{"str strb strh vstr", Form::store, kAlu},
    alone("ldrd", Form::load, kAlu, 2, 2, 2),
    alone("strd", Form::store, kAlu, 2),
    alone(kLists, Form::load, kAlu, 1, 2),
    alone(kStoredLists, Form::store, kAlu, 1),
    Timing{"vldr", Form::load, kAlu, 2},
    Timing{kFloatArithmetic, Form::unary, kAlu, 2},
    alone(kFloatSums, Form::sum, kAlu, 3, 2),
    Timing{"vmov", Form::unary, kAlu, 2},
    Timing{"vcmp vcmpe", Form::test, kAlu},
    alone("vmrs vmsr", Form::test, kNone, 1),
    alone("vdiv vsqrt", Form::unary, kAlu, 14, 2),
};

// The scalar part as that of the Cortex-M33, whose rows come first; then MVE, of two beats each, which pass from unit
// to unit: a result is there for the first beat of an instruction before its own second one is done.
constexpr std::array kMve = {
    Timing{"q_vldrb q_vldrh q_vldrw q_vldrd q_vld20 q_vld21 q_vld40 q_vld41 q_vld42 q_vld43", Form::load, kVectorMemory,
           1, 0, Pairs::free, 2},
    Timing{"q_vstrb q_vstrh q_vstrw q_vstrd q_vst20 q_vst21 q_vst40 q_vst41 q_vst42 q_vst43", Form::store,
           kVectorMemory, 1, 0, Pairs::free, 2},
    Timing{
        "q_vabd q_vabs q_vadd q_vand q_vbic q_vbrsr q_vcadd q_vcls q_vclz q_vddup q_vdup q_vdwdup q_veor q_vhadd "
        "q_vhcadd q_vhsub q_vidup q_viwdup q_vmax q_vmaxa q_vmin q_vmina q_vmovlb q_vmovlt q_vmvn q_vneg q_vorn q_vorr "
        "q_vpsel q_vqabs q_vqadd q_vqneg q_vqsub q_vrev16 q_vrev32 q_vrev64 q_vrhadd q_vshl q_vshllb q_vshllt q_vshr "
        "q_vsub",
        Form::binary, kVector, 1, 0, Pairs::free, 2},
    Timing{"q_vsli q_vsri", Form::sum, kVector, 1, 0, Pairs::free, 2},
    Timing{"q_vqrshl q_vqshl q_vrshl q_vrshr q_vqshlu", Form::binary, kVector, 2, 0, Pairs::free, 2},
    Timing{"q_vadc q_vadci q_vsbc q_vsbci", Form::sum, kVector, 2, 0, Pairs::free, 2},
    Timing{
        "q_vmovnb q_vmovnt q_vqmovnb q_vqmovnt q_vqmovunb q_vqmovunt q_vshrnb q_vshrnt q_vrshrnb q_vrshrnt q_vqshrnb "
        "q_vqshrnt q_vqrshrnb q_vqrshrnt q_vqshrunb q_vqshrunt q_vqrshrunb q_vqrshrunt",
        Form::sum, kVector, 3, 0, Pairs::free, 2},
    Timing{"q_vabav q_vmaxv q_vmaxav q_vminv q_vminav", Form::sum, kVector, 4, 0, Pairs::free, 2},
    Timing{"q_vmov", Form::binary, kVector, 1, 0, Pairs::free, 2},
    Timing{
        "q_vaddv q_vmladav q_vmlav q_vmlsdav q_vmul q_vmulh q_vmullb q_vmullt q_vrmulh q_vqdmulh q_vqrdmulh q_vqdmullb "
        "q_vqdmullt",
        Form::binary, kVectorMultiply, 2, 0, Pairs::free, 2},
    Timing{"q_vmlaldav q_vmlalv q_vmlsldav q_vaddlv q_vrmlaldavh q_vrmlalvh", Form::unary, kVectorMultiply, 2, 0,
           Pairs::free, 2, 2},
    Timing{"q_vaddva q_vmladava q_vmlava q_vmlsdava q_vmla q_vmlas q_vqdmlah q_vqrdmlah q_vqdmlash q_vqrdmlash",
           Form::sum, kVectorMultiply, 2, 0, Pairs::free, 2},
    Timing{"q_vmlaldava q_vmlalva q_vmlsldava q_vaddlva q_vrmlaldavha q_vrmlalvha", Form::sum, kVectorMultiply, 2, 0,
           Pairs::free, 2, 2},
    Timing{"q_vcmp q_vcmp.f q_vpt q_vpt.f q_vptt q_vpte", Form::test, kVectorMultiply, 1, 0, Pairs::free, 2},
    Timing{"q_vabd.f q_vabs.f q_vadd.f q_vcadd.f q_vneg.f q_vsub.f q_vmaxnm.f q_vminnm.f q_vmaxnma.f q_vminnma.f",
           Form::binary, kVectorMultiply, 1, 0, Pairs::free, 2},
    Timing{
        "q_vcmul.f q_vmul.f q_vmov.f q_vcvt.f q_vcvta.f q_vcvtn.f q_vcvtp.f q_vcvtm.f q_vrinta.f q_vrintn.f q_vrintp.f "
        "q_vrintm.f q_vrintx.f q_vrintz.f",
        Form::unary, kVectorMultiply, 2, 0, Pairs::free, 2},
    Timing{"q_vcmla.f q_vfma.f q_vfmas.f q_vfms.f q_vmaxnmv.f q_vminnmv.f", Form::sum, kVectorMultiply, 2, 0,
           Pairs::free, 2},
    Timing{"vpst vpstt vpste vpsttt vpstee vctp vpnot", Form::test, kNone, 1, 0, Pairs::free},
    Timing{"dls wls dlstp wlstp lctp csel csinc csinv csneg cset csetm cinc cinv cneg", Form::unary, kAlu},
    Timing{"le letp", Form::test, kNone, 1, 0, Pairs::free, 0},
    Timing{"asrl lsll lsrl sqrshr sqrshrl sqshl sqshll srshr srshrl uqrshl uqrshll uqshl uqshll urshr urshrl",
           Form::sum, kAlu, 2},
};

constexpr auto joined() {
  std::array<Timing, kCortexM33.size() + kMve.size()> out = {};
  std::copy(kCortexM33.begin(), kCortexM33.end(), out.begin());
  std::copy(kMve.begin(), kMve.end(), out.begin() + kCortexM33.size());
  return out;
}
constexpr std::array kCortexM55 = joined();

// A row of vectors, which take a unit for two cycles; nothing is issued beside one after it.
constexpr Timing vectors(std::string_view mnemonics, Form form, std::uint16_t units, std::uint8_t latency = 1,
                         std::uint8_t late = 0, std::uint8_t results = 1) {
  return {mnemonics, form, units, latency, late, Pairs::last, 2, results};
}

// kSimd here: what only the first of two can take. Vectors read and write core registers two cycles later than they do
// their own.
constexpr std::array kCortexM85 = {
    Timing{kBinary, Form::binary, kAlu},
    Timing{kMoves, Form::unary, kAlu},
    Timing{kShifts, Form::binary, kAlu},
    Timing{"bfc bfi", Form::sum, kAlu | kShift | kSimd},
    Timing{"clz", Form::unary, kAlu | kSimd},
    Timing{kExtended, Form::unary, kAlu | kSimd},
    Timing{kFields, Form::unary, kAlu},
    Timing{kReversed, Form::unary, kAlu | kShift | kSimd},
    Timing{kExtendedSums, Form::binary, kAlu | kShift | kSimd},
    Timing{kParallel, Form::unary, kAlu | kSimd},
    Timing{kSaturated, Form::unary, kAlu | kShift | kSimd, 2},
    Timing{kProducts, Form::binary, kMultiply, 2},
    Timing{kLongProducts, Form::unary, kMultiply, 2, 0, Pairs::free, 1, 2},
    Timing{kSums, Form::sum, kMultiply, 2, 1},
    Timing{kLongSums, Form::sum, kMultiply, 2, 1, Pairs::free, 1, 2},
    alone("sdiv udiv", Form::unary, kAlu, 7),
    Timing{kCompares, Form::test, kAlu},
    Timing{kBranches, Form::test, kBranch},
    Timing{"nop hint it", Form::test, kNone},
    alone(kSystem, Form::test, kNone, 3),
    alone("tbb tbh", Form::load, kLoad, 2),
    Timing{"ldr", Form::load, kLoad, 1},
    Timing{"ldrb ldrh ldrsb ldrsh", Form::load, kLoad, 2},
    Timing{"str strb strh", Form::store, kStore, 1, 1},
    Timing{"vstr", Form::store, kStore, 1, 2},
    alone("ldrd", Form::load, kLoad, 1, 1, 2),
    alone("strd", Form::store, kStore, 1),
    alone(kLists, Form::load, kLoad, 1),
    alone(kStoredLists, Form::store, kStore, 1),
    Timing{"vldr", Form::load, kLoad, 1},
    Timing{"vmul vnmul", Form::unary, kFloat | kSimd, 3},
    Timing{kFloatArithmetic, Form::unary, kFloat | kSimd, 2},
    Timing{"vfma vfms vfnma vfnms", Form::sum, kFloat | kSimd, 4, 2},
    Timing{kFloatSums, Form::sum, kFloat | kSimd, 5, 3},
    Timing{"vmov", Form::unary, kSimd, 2},
    Timing{"vcmp vcmpe", Form::test, kFloat | kSimd},
    alone("vmrs vmsr", Form::test, kNone, 2),
    Timing{"vdiv vsqrt", Form::unary, kFloat | kSimd, 14, 0, Pairs::free, 14},
    vectors("q_vldrb q_vldrh q_vldrw q_vldrd", Form::load, kVectorMemory),
    vectors("q_vld20 q_vld21 q_vld40 q_vld41 q_vld42 q_vld43", Form::load, kVectorMemory, 4),
    vectors("q_vstrb q_vstrh q_vstrw q_vstrd q_vst20 q_vst21 q_vst40 q_vst41 q_vst42 q_vst43", Form::store,
            kVectorMemory, 1, 2),
    vectors("q_vand q_vbic q_vcls q_vclz q_veor q_vmov q_vmvn q_vorn q_vorr q_vpsel q_vrev16 q_vrev32 q_vrev64",
            Form::binary, kNone),
    vectors("q_vabd q_vabs q_vadd q_vbrsr q_vcadd q_vdup q_vhadd q_vhcadd q_vhsub q_vmax q_vmaxa q_vmin q_vmina "
            "q_vmovlb q_vmovlt q_vneg q_vqabs q_vqadd q_vqneg q_vqsub q_vrhadd q_vshl q_vshllb q_vshllt q_vshr q_vsub",
            Form::binary, kVector),
    vectors("q_vddup q_vdwdup q_vidup q_viwdup q_vqrshl q_vqshl q_vrshl q_vrshr q_vqshlu", Form::binary, kVector, 2),
    vectors("q_vsli q_vsri q_vmovnb q_vmovnt q_vshrnb q_vshrnt q_vadc q_vadci q_vsbc q_vsbci", Form::sum, kVector),
    vectors("q_vqmovnb q_vqmovnt q_vqmovunb q_vqmovunt q_vrshrnb q_vrshrnt q_vqshrnb q_vqshrnt q_vqrshrnb q_vqrshrnt "
            "q_vqshrunb q_vqshrunt q_vqrshrunb q_vqrshrunt",
            Form::sum, kVector, 2),
    vectors("q_vaddv", Form::binary, kVector, 4),
    vectors("q_vabav q_vmaxv q_vmaxav q_vminv q_vminav", Form::sum, kVector, 4, 2),
    vectors("q_vmul q_vmulh q_vmullb q_vmullt q_vrmulh q_vqdmulh q_vqrdmulh q_vqdmullb q_vqdmullt", Form::binary,
            kVectorMultiply, 2),
    vectors("q_vmladav q_vmlav q_vmlsdav", Form::binary, kVectorMultiply, 4),
    vectors("q_vmlaldav q_vmlalv q_vmlsldav q_vaddlv q_vrmlaldavh q_vrmlalvh", Form::unary, kVectorMultiply, 4, 0, 2),
    vectors("q_vaddva q_vmladava q_vmlava q_vmlsdava", Form::sum, kVectorMultiply, 4, 2),
    vectors("q_vmla q_vmlas q_vqdmlah q_vqrdmlah q_vqdmlash q_vqrdmlash", Form::sum, kVectorMultiply, 2),
    vectors("q_vmlaldava q_vmlalva q_vmlsldava q_vaddlva q_vrmlaldavha q_vrmlalvha", Form::sum, kVectorMultiply, 4, 2,
            2),
    vectors("q_vcmp q_vcmp.f q_vpt q_vpt.f q_vptt q_vpte", Form::test, kVectorCompare),
    vectors("q_vabd.f q_vadd.f q_vcadd.f q_vsub.f", Form::binary, kVector, 2),
    vectors("q_vabs.f q_vneg.f q_vmaxnm.f q_vminnm.f q_vmaxnma.f q_vminnma.f", Form::binary, kVectorMultiply),
    vectors("q_vmov.f", Form::unary, kNone),
    vectors("q_vcvt.f q_vcvta.f q_vcvtn.f q_vcvtp.f q_vcvtm.f q_vrinta.f q_vrintn.f q_vrintp.f q_vrintm.f q_vrintx.f "
            "q_vrintz.f",
            Form::unary, kVectorMultiply, 2),
    vectors("q_vcmul.f q_vmul.f", Form::unary, kVectorMultiply, 3),
    vectors("q_vcmla.f q_vfma.f q_vfmas.f q_vfms.f", Form::sum, kVectorMultiply, 4, 2),
    vectors("q_vmaxnmv.f q_vminnmv.f", Form::sum, kVectorMultiply, 4, 1),
    vectors("vpst vpstt vpste vpsttt vpstee vctp vpnot", Form::test, kVectorPredicate),
    Timing{"dls wls dlstp wlstp lctp", Form::unary, kAlu},
    Timing{"csel csinc csinv csneg cset csetm cinc cinv cneg", Form::unary, kAlu, 2},
    Timing{"le letp", Form::test, kNone, 1, 0, Pairs::free, 0},
    Timing{"asrl lsll lsrl sqrshr sqrshrl sqshl sqshll srshr srshrl uqrshl uqrshll uqshl uqshll urshr urshrl",
           Form::sum, kAlu, 2, 1},
};

}  // namespace

const Pipeline kCortexM7Pipeline = {.table = kCortexM7,
                                    .count = {2, 1, 1, 1, 2, 1, 1, 1, 0, 0, 0, 0, 0},
                                    .banked_loads = true,
                                    .address_early = 1,
                                    .shifted_early = 1,
                                    .words_per_cycle = 2};
const Pipeline kCortexM33Pipeline = {
    .table = kCortexM33, .count = {1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0}, .narrow_pairs = true, .shifted_latency = 2};

const Pipeline kCortexM55Pipeline = {
    .table = kCortexM55, .count = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, .narrow_pairs = true, .shifted_latency = 2};

const Pipeline kCortexM85Pipeline = {.table = kCortexM85,
                                     .count = {2, 1, 1, 1, 2, 2, 1, 2, 1, 1, 1, 1, 1},
                                     .address_early = 1,
                                     .shifted_early = 1,
                                     .words_per_cycle = 2};

}  // namespace byoc
