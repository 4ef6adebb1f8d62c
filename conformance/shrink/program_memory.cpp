// SPDX-License-Identifier: Apache-2.0
// Of a stand-alone program in C99 and POSIX: tensors between guard pages, and their contents.
#include "conformance/shrink/program_body.h"

namespace concord::conformance {

const char* const kProgramMemory = R"concord(
static concord_answer answer;

/* How the process with the plugin ends, if it is not the plugin that ends it. */
enum { RIGHT = 40, WRONG = 41, NOT_TRIED = 42 };

static void finish(int code) {
  fflush(stdout);
  _exit(code);
}

static void fail(const char *what) {
  printf("WRONG: %s\n", what);
  finish(WRONG);
}

static void cannot(const char *what, const char *why) {
  printf("not tried: %s: %s\n", what, why);
  finish(NOT_TRIED);
}

/* Memory whose end, or whose beginning, is at a page that must not be touched. */
typedef struct region {
  unsigned char *pages; /* that may be touched */
  size_t size;          /* of them */
  unsigned char *data;
  size_t bytes;
} region;

/* A tensor of whole vectors of 16 bytes is aligned for them at the end of its pages. At the beginning
   half of the sizes are not: they lie one element further on. */
static size_t shift_of(size_t bytes) {
  const uint64_t hash = (uint64_t)(bytes / 16) * UINT64_C(0x9e3779b97f4a7c15);
  return bytes % 16 == 0 && bytes > 0 && hash >> 63 == 0 ? ELEMENT_BYTES : 0;
}

static region make_region(size_t bytes, size_t alignment, int at_beginning, int is_tensor) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const size_t from_end = (bytes + alignment - 1) / alignment * alignment;
  const size_t shift = at_beginning && is_tensor ? shift_of(bytes) : 0;
  region r;
  unsigned char *all;
  r.bytes = bytes;
  r.size = (from_end + shift + page - 1) / page * page;
  all = mmap(NULL, r.size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) cannot("mmap", "no memory");
  r.pages = all + page;
  if (r.size > 0 && mprotect(r.pages, r.size, PROT_READ | PROT_WRITE) != 0) {
    cannot("mprotect", "refused");
  }
  r.data = at_beginning ? r.pages + shift : r.pages + r.size - from_end;
  return r;
}

/* The same memory as before, if it is as large. */
static region reuse_region(region *kept, size_t bytes, size_t alignment, int at_beginning,
                           int is_tensor) {
  if (kept->pages == NULL || kept->bytes != bytes) {
    *kept = make_region(bytes, alignment, at_beginning, is_tensor);
  }
  return *kept;
}

/* In every dtype a NaN, and the second time a number: what is never written differs. */
static unsigned char garbage_at(size_t i, int run) {
  return (unsigned char)(i % 2 == 0 ? 0xd5 : run == 0 ? 0x7f : 0x5f);
}

static void fill_garbage(region r, int run) {
  size_t i;
  for (i = 0; i < r.size; ++i) r.pages[i] = garbage_at(i, run);
}

/* The same address for the same input each time: other data need not come elsewhere. */
static void *make_input(int which, const void *image, size_t bytes, int at_beginning) {
  static region kept[2][3];
  region r;
  if (kept[at_beginning][which].pages == NULL) {
    kept[at_beginning][which] = make_region(bytes, 1, at_beginning, 1);
  }
  r = kept[at_beginning][which];
  if (r.size > 0) mprotect(r.pages, r.size, PROT_READ | PROT_WRITE);
  fill_garbage(r, 0);
  if (bytes > 0) memcpy(r.data, image, bytes);
  if (r.size > 0) mprotect(r.pages, r.size, PROT_READ);
  return r.data;
}

static size_t size_of_element(void) { return ELEMENT_BYTES; }

static double value_of(const unsigned char *at) {
  const uint64_t one = 1, hidden = one << FRACTION_BITS, sign = one << (8 * ELEMENT_BYTES - 1);
  uint64_t word = 0, fraction, exponent;
  double value;
  memcpy(&word, at, ELEMENT_BYTES);
  fraction = word & (hidden - 1);
  exponent = (word & (sign - 1)) >> FRACTION_BITS;
  value = (double)(fraction + (exponent > 0 ? hidden : 0)) * SMALLEST;
  if (exponent == (sign - 1) >> FRACTION_BITS) {
    value = fraction != 0 ? NAN : INFINITY;
  } else {
    for (; exponent > 1; --exponent) value *= 2;
  }
  return (word & sign) != 0 ? -value : value;
}

/* NaN without a sign, which means nothing. */
static double readable(double value) { return value == value ? value : NAN; }

/* The place of element `i`, last axis fastest; and its index, if `index` is not null. */
static size_t place_of(size_t i, int64_t *index) {
  size_t place = 0;
  int axis;
  for (axis = output.rank - 1; axis >= 0; --axis) {
    const size_t extent = (size_t)output.dims[axis];
    place += i % extent * (size_t)output.strides[axis];
    if (index != NULL) index[axis] = (int64_t)(i % extent);
    i /= extent;
  }
  return place * size_of_element();
}

/* "dst[0,3,1]" of element `i`; how long it is. */
static int name_element(char *text, size_t size, size_t i) {
  int64_t index[CONCORD_MAX_RANK];
  int axis, used = snprintf(text, size, "dst[");
  place_of(i, index);
  for (axis = 0; axis < output.rank; ++axis) {
    used += snprintf(text + used, size - (size_t)used, axis > 0 ? ",%ld" : "%ld",
                     (long)index[axis]);
  }
  return used + snprintf(text + used, size - (size_t)used, "]");
}
)concord";

}  // namespace concord::conformance
