#include "npu_driver.h"

int32_t npu_driver_deinit(npu_driver_t* driver) {
  if (driver->state == NPU_STATE_OFF) return NPU_NOT_STARTED;
  driver->state = NPU_STATE_OFF;
  return 0;
}
