#include "models.h"
#include "one.h"
#include "three.h"
#include "two.h"

int main(void) {
  return weights[0] + table[0] + stream[0] + (models_flash_end - models_flash_start != MODELS_FLASH_BYTES);
}
