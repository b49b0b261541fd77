/* The command stream and the packed weights of the example NPU, as the compiler (the plug-in) and the device agree on
 * them. C99 and C++. All numbers are little-endian 32-bit words; a command starts at a multiple of 16 bytes. */
#ifndef NPU_ISA_H
#define NPU_ISA_H

#include <stdint.h>

#define NPU_ALIGN 16u          /* bytes: of the command stream, the weights, the scratch memory and every command */
#define NPU_LINE_MOST 4096u    /* weights that the device can hold decoded: at least those of one output channel */
#define NPU_KERNEL_MOST 64     /* window sizes */
#define NPU_STEP_MOST 64       /* strides and dilations */
#define NPU_PAD_MOST 255       /* padding before the first element */
#define NPU_EXTENT_MOST 4096   /* height, width and channels of a feature map */
#define NPU_MAP_MOST (1 << 28) /* elements of a feature map */

/* A feature map: element (y, x, c) is at base + offset + y * stride_y + x * stride_x + c * stride_c. */
typedef struct npu_map {
  uint32_t base; /* NPU_SCRATCH, NPU_INPUT + index, NPU_OUTPUT + index */
  uint32_t offset;
  int32_t height, width, channels;
  int32_t stride_y, stride_x, stride_c; /* bytes */
  int32_t zero_point;
} npu_map_t;

#define NPU_SCRATCH 0u
#define NPU_INPUT 0x10000u
#define NPU_OUTPUT 0x20000u

/* Element (y, x) of the output reads rows y * stride_y - pad_y + k * dilation_y, k < kernel_y, that are inside. */
typedef struct npu_window {
  int32_t kernel_y, kernel_x, stride_y, stride_x, dilation_y, dilation_x, pad_y, pad_x;
} npu_window_t;

/* value * 2^(shift - 31), multiplied with the two roundings of TensorFlow Lite. */
typedef struct npu_factor {
  int32_t value, shift;
} npu_factor_t;

typedef struct npu_header {
  uint32_t opcode;   /* NPU_CONVOLUTION ... */
  uint32_t words;    /* of the whole command with its padding: a multiple of 4 */
  int32_t low, high; /* results are clamped to these */
} npu_header_t;

#define NPU_CONVOLUTION 1u
#define NPU_AVERAGE 2u
#define NPU_MAXIMUM 3u
#define NPU_ADD 4u

/* Convolutions of all kinds; a matrix product is one of 1x1 windows over one column. Output channel c reads
 * in_per_group input channels from c / out_per_group * in_per_group on. */
typedef struct npu_convolution {
  npu_header_t header;
  npu_map_t in, out;
  npu_window_t window;
  int32_t in_per_group, out_per_group;
  int32_t channels_per_pass; /* output channels whose weights are decoded at a time */
  uint32_t channels;         /* where in the weights one npu_channel_t for each output channel is */
  uint32_t weights;          /* where in the weights those of [out][kernel_y][kernel_x][in_per_group] are */
  uint32_t packed;           /* 0: they are int8; 1: they are packed, pass by pass */
} npu_convolution_t;

typedef struct npu_channel {
  int32_t bias;
  npu_factor_t factor;
} npu_channel_t;

/* NPU_AVERAGE divides by the number of elements inside the map, rounding half away from zero. */
typedef struct npu_pool {
  npu_header_t header;
  npu_map_t in, out;
  npu_window_t window;
} npu_pool_t;

/* a and b, each scaled from 20 bits of headroom, summed, scaled. */
typedef struct npu_add {
  npu_header_t header;
  npu_map_t a, b, out;
  npu_factor_t a_factor, b_factor, out_factor;
} npu_add_t;

/* Packed weights are blocks of NPU_BLOCK, the last one of a pass as many as are left; each in the way that is shortest
 * for it. The first byte is the way in its upper bits and a number n in its lower ones. Bits follow each other from the
 * lowest of a byte on; a block ends with a whole byte. */
#define NPU_BLOCK 32u
#define NPU_WAY 0xe0u
#define NPU_NUMBER 0x1fu
#define NPU_RAW 0x00u     /* int8 each */
#define NPU_RANGE 0x20u   /* int8 base; then base + n bits, n in 0 ... 7 */
#define NPU_SPARSE 0x40u  /* a bit for each weight, then an int8 for each that is set; the others are 0 */
#define NPU_PALETTE 0x60u /* 2^n int8; then n bits for each weight, its place among them; n in 1 ... 3 */
/* Rice codes of 0, -1, 1, -2 ... numbered from 0: as many ones as the number has multiples of 2^n, a zero, n bits. */
#define NPU_RICE 0x80u

#endif
