#include "npu_driver.h"

/* A chip would have begun at npu_driver_submit(), and this would sleep until its interrupt. */
int32_t npu_driver_wait(npu_driver_t* driver) {
  if (driver->state != NPU_STATE_SUBMITTED) return driver->state == NPU_STATE_READY ? NPU_IDLE : NPU_NOT_STARTED;
  driver->state = NPU_STATE_READY;
  ++driver->jobs;
  return npu_device_run(&driver->job);
}
