/* SHA-256 and SHA-512 of a file in two parts, and whether a signature of it is right.
 * usage: verify_file PUBLIC_KEY SIGNATURE FILE */
#include <stdio.h>

#include "ed25519.h"
#include "sha2.h"

static uint32_t load(const char* path, uint8_t* to, uint32_t room) {
  FILE* file = fopen(path, "rb");
  uint32_t bytes = 0;
  if (file == NULL) return 0;
  bytes = (uint32_t)fread(to, 1, room, file);
  fclose(file);
  return bytes;
}

static void show(const uint8_t* digest, int bytes) {
  int i;
  for (i = 0; i < bytes; ++i) printf("%02x", digest[i]);
  printf("\n");
}

int main(int argc, char** argv) {
  static uint8_t key[32], signature[64], message[4096], digest[64];
  uint32_t bytes;
  sha2_part_t parts[2];
  if (argc != 4 || load(argv[1], key, sizeof key) != sizeof key) return 1;
  if (load(argv[2], signature, sizeof signature) != sizeof signature) return 1;
  bytes = load(argv[3], message, sizeof message);
  parts[0].data = message;
  parts[0].bytes = bytes / 3;
  parts[1].data = message + bytes / 3;
  parts[1].bytes = bytes - bytes / 3;
  sha256(digest, parts, 2);
  show(digest, 32);
  sha512(digest, parts, 2);
  show(digest, 64);
  printf("%d\n", ed25519_verify(signature, key, message, bytes));
  return 0;
}
