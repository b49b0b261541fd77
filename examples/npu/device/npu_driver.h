/* The driver of the example NPU: what firmware and generated code call. C99 and C++. */
#ifndef NPU_DRIVER_H
#define NPU_DRIVER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Work for the device. Everything that is pointed to stays in place until npu_driver_wait() has returned. */
typedef struct npu_job {
  const uint32_t* commands; /* in flash, as npu_isa.h says */
  uint32_t command_bytes;
  const uint8_t* weights; /* in flash */
  uint32_t weight_bytes;
  uint8_t* scratch;       /* RAM for this job alone: decoded weights first, then feature maps */
  uint32_t line_bytes;    /* of decoded weights */
  uint32_t scratch_bytes; /* of all of it */
  const int8_t* const* inputs;
  int8_t* const* outputs;
  uint32_t input_count, output_count;
} npu_job_t;

/* A handle. Its members are the driver's. */
typedef struct npu_driver {
  uint32_t state;
  uint32_t jobs; /* done since the start */
  npu_job_t job;
} npu_driver_t;
#define NPU_DRIVER_BYTES 128 /* at least sizeof(npu_driver_t), on every machine */

/* 0 or one of these. */
#define NPU_NOT_STARTED 101 /* npu_driver_init() comes first */
#define NPU_BUSY 102        /* a job was submitted and not waited for */
#define NPU_IDLE 103        /* nothing was submitted */
#define NPU_MISALIGNED 104  /* a memory of the job does not start at a multiple of 16 */
#define NPU_BAD_COMMAND 105 /* the command stream is not one */
#define NPU_BAD_ADDRESS 106 /* a command reaches outside the job's memories */
#define NPU_BAD_WEIGHTS 107 /* the packed weights end too early */

/* Starts the device. May be called again: whatever was submitted is forgotten. */
int32_t npu_driver_init(npu_driver_t* driver);
/* Hands a job to the device and returns at once. */
int32_t npu_driver_submit(npu_driver_t* driver, const npu_job_t* job);
/* Returns when the job is done. */
int32_t npu_driver_wait(npu_driver_t* driver);
/* Switches the device off. */
int32_t npu_driver_deinit(npu_driver_t* driver);

/* The device itself. On a chip this is silicon behind registers; here it is a model in C, which runs a job to its end.
 */
int32_t npu_device_run(const npu_job_t* job);

#define NPU_STATE_OFF 0u
#define NPU_STATE_READY 0x6e707531u
#define NPU_STATE_SUBMITTED 0x6e707532u

#ifdef __cplusplus
}
#endif

#endif
