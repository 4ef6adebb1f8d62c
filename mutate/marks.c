/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Linked into the plugin that shows which blocks are ever executed: their marks are the pages of a
 * file, so they outlive a process that crashes, and several processes can mark at once.
 * MARKS_FILE and MARKS_BYTES, a multiple of the page size, are given on the command line.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

__attribute__((visibility("hidden"), aligned(4096))) char concord_mutate_marks[MARKS_BYTES];

__attribute__((constructor)) static void map_marks(void) {
  const int file = open(MARKS_FILE, O_RDWR);
  if (file < 0) return;
  mmap(concord_mutate_marks, MARKS_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0);
  close(file);
}
