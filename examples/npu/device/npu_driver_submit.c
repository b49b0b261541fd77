#include "npu_driver.h"
#include "npu_isa.h"

static int is_aligned(const void* memory) { return ((uintptr_t)memory & (NPU_ALIGN - 1u)) == 0; }

int32_t npu_driver_submit(npu_driver_t* driver, const npu_job_t* job) {
  if (driver->state == NPU_STATE_SUBMITTED) return NPU_BUSY;
  if (driver->state != NPU_STATE_READY) return NPU_NOT_STARTED;
  if (!is_aligned(job->commands) || !is_aligned(job->weights) || !is_aligned(job->scratch)) return NPU_MISALIGNED;
  driver->job = *job;
  driver->state = NPU_STATE_SUBMITTED;
  return 0;
}
