/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plugin ABI between Concord and a library that implements convolutions: the one header that a
 * plugin needs. C99, no dependencies.
 *
 * A plugin is a shared object that exports one symbol, concord_plugin_v1(). Concord loads it in a
 * separate process and makes these calls:
 *
 *   open      once, with the text that the user wrote after the plugin's name
 *   query     does the backend serve this problem, and which shape does it infer for dst?
 *   prepare   build what execute needs; weights whose data are given here may be packed
 *   execute   compute; any number of times, with other data, at other addresses, or both
 *   release   free what prepare built
 *   close     once
 *
 * Calls never overlap, but they may come from several threads. Several prepared problems may be
 * alive at once. Nothing that Concord passes
 * in may be kept after a call returns. Nothing may be thrown or longjmp'ed across a call. Memory
 * never changes owner.
 *
 * How the ABI grows without breaking plugins that were compiled earlier:
 * - A struct with struct_size is only appended to. Whoever fills it sets struct_size to the size
 *   that it was compiled with (in structs that Concord zeroes, Concord has set it); a field beyond
 *   struct_size is absent. Such structs are passed by pointer, never in arrays.
 * - A struct without struct_size never changes in size or layout. A `reserved` field, which is
 *   zero, may get a name and a meaning; zero then keeps today's meaning. The CONCORD_MAX_ numbers
 *   never change.
 * - Operations, dtypes and other enumerators are added, never renumbered. A plugin declines with
 *   CONCORD_UNSUPPORTED what it does not know. A change in the meaning of a problem is a new
 *   operation; an appended field is never needed to compute the right result.
 * - Any other change takes a new symbol, concord_plugin_v2, and a new CONCORD_ABI.
 */
#ifndef CONCORD_PLUGIN_H_
#define CONCORD_PLUGIN_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CONCORD_ABI 1u
#define CONCORD_MAX_RANK 8
#define CONCORD_MAX_TENSORS 16 /* inputs of a problem, and outputs of a problem */
#define CONCORD_TEXT 256       /* bytes of a sentence, including the terminating zero */

/* Enumerations are stored as int32_t, so that their size does not depend on the compiler. */

/* What a call can return. Any other value counts as CONCORD_FAULT. */
typedef int32_t concord_status;
enum {
  CONCORD_OK = 0,
  CONCORD_UNSUPPORTED = 1, /* honest: the case counts as declined, never as passed or failed */
  CONCORD_INVALID = 2,     /* the problem violates its specification */
  CONCORD_FAULT = 3        /* an error of the plugin's own: the case fails */
};

typedef enum concord_dtype {
  CONCORD_F32 = 1,
  CONCORD_F16 = 2,  /* IEEE binary16 */
  CONCORD_BF16 = 3, /* the upper half of a binary32 */
  CONCORD_F64 = 4   /* IEEE binary64 */
} concord_dtype;

typedef enum concord_operation {
  CONCORD_CONVOLUTION_1 = 1,            /* concord_convolution; Convolution-1 */
  CONCORD_CONVOLUTION = 2,              /* concord_convolution; oneDNN Graph Convolution */
  CONCORD_ATROUS_CONV2D = 3,            /* concord_atrous_conv2d; TensorFlow atrous_conv2d */
  CONCORD_SPACE_TO_BATCH = 4,           /* concord_blocks; a part of atrous_conv2d: src -> dst */
  CONCORD_BATCH_TO_SPACE = 5,           /* concord_blocks; its inverse */
  CONCORD_CNTK_CONVOLUTION = 6,         /* concord_cntk_convolution; CNTK Convolution, N-D */
  CONCORD_CNTK_CONVOLUTION_2D = 7,      /* concord_cntk_convolution_2d; CNTK Convolution, 2-D */
  CONCORD_CONTINUOUS_CONVOLUTION = 8,   /* concord_continuous; the CC layer */
  CONCORD_CONTINUOUS_BACKWARD_DATA = 9, /* concord_continuous; its gradient by src */
  CONCORD_CONTINUOUS_BACKWARD_WEIGHTS = 10, /* concord_continuous; its gradient by theta */
  CONCORD_ATROUS_CHAIN = 11,             /* concord_atrous_chain; atrous_conv2d's advanced usage */
  CONCORD_CONTINUOUS_BACKWARD_GRID = 12, /* concord_continuous; its gradient by the grid */
  CONCORD_CONTINUOUS_BACKWARD_KERNEL = 13, /* concord_continuous; its gradient by W */
  CONCORD_CONTINUOUS_CHAIN = 14,           /* concord_continuous_chain; layers, sizes by Eq. 4 */
  CONCORD_CNTK_BACKWARD_DATA = 15,         /* concord_cntk_convolution; the N-D gradient by src */
  CONCORD_CNTK_BACKWARD_WEIGHTS = 16 /* concord_cntk_convolution; the N-D gradient by weights */
} concord_operation;                 /* each comment names the struct of its attributes */

/* Which meaning applies where a document and the systems that implement it differ. A backend that
 * follows only one of them declines the other wherever they differ. */
typedef enum concord_reading {
  CONCORD_READING_IMPLEMENTED = 0,
  CONCORD_READING_DOCUMENTED = 1,
  CONCORD_READING_FIRST_VERSION = 2 /* of CNTK_CONVOLUTION_2D alone: zeroPadding as it once was */
} concord_reading;

typedef enum concord_auto_pad {
  CONCORD_PAD_NONE = 0, /* use pads_begin and pads_end; all other values ignore them */
  CONCORD_PAD_SAME_UPPER = 1,
  CONCORD_PAD_SAME_LOWER = 2,
  CONCORD_PAD_VALID = 3
} concord_auto_pad;

/* NXC: src and dst are [N, spatial..., C]; NCX: [N, C, spatial...]. */
typedef enum concord_data_format { CONCORD_NXC = 0, CONCORD_NCX = 1 } concord_data_format;

/* XIO: weights are [spatial..., IC/G, OC]; OIX: [OC, IC/G, spatial...]. */
typedef enum concord_weights_format { CONCORD_XIO = 0, CONCORD_OIX = 1 } concord_weights_format;

/* A list of attribute values, one per spatial axis, outermost axis first. It may have any length:
 * the backend must refuse a wrong one. size is at most CONCORD_MAX_RANK; at[size] means nothing. */
typedef struct concord_list {
  int32_t size;
  int64_t at[CONCORD_MAX_RANK];
} concord_list;

/* Attributes of CONCORD_CONVOLUTION_1 and CONCORD_CONVOLUTION, unchecked, as the user wrote them.
 * Dilation 1 is dense. */
typedef struct concord_convolution {
  size_t struct_size;
  concord_list strides;
  concord_list pads_begin;
  concord_list pads_end;
  concord_list dilations;
  int32_t auto_pad;
  int32_t data_format;
  int32_t weights_format;
  int64_t groups;
} concord_convolution;

/* Attributes of CONCORD_ATROUS_CONV2D: src is [B,H,W,Cin], weights [kh,kw,Cin,Cout]. */
typedef struct concord_atrous_conv2d {
  size_t struct_size;
  int64_t rate; /* an int32 in the document; larger values must be refused */
  int32_t same; /* 1: padding "SAME", 0: "VALID", 2: neither (such as "same"), must be refused */
} concord_atrous_conv2d;

/* Attributes of CONCORD_SPACE_TO_BATCH and CONCORD_BATCH_TO_SPACE: src is [B,H,W,C]. */
typedef struct concord_blocks {
  size_t struct_size;
  int64_t block_size;
  concord_list edges; /* paddings or crops: top, bottom, left, right */
} concord_blocks;

/* Attributes of CONCORD_ATROUS_CHAIN: layer after layer, src is [B,H,W,C], weights are
 * [layers,kh,kw,C,C], kh and kw odd. Results are those of an atrous_conv2d with padding "SAME" a
 * layer; as documented those of one space_to_batch, dense convolutions, and batch_to_space. */
typedef struct concord_atrous_chain {
  size_t struct_size;
  int64_t rate; /* an int32 */
} concord_atrous_chain;

typedef enum concord_image_layout {
  CONCORD_LAYOUT_CUDNN = 0, /* [W,H,C,samples] */
  CONCORD_LAYOUT_HWC = 1    /* [C,W,H,samples]; details in spec.md */
} concord_image_layout;

/* Attributes of CONCORD_CNTK_CONVOLUTION, as the user wrote them. A list has one element per input
 * axis, or one for all of them. src is [i_1,..,i_r,samples], weights are [runs,cells], dst is
 * [o_1,..,o_r,samples]; dense src and dst have their first axis fastest, as their strides say.
 * CONCORD_CNTK_BACKWARD_DATA and _WEIGHTS have the attributes of the convolution whose gradients
 * they are: diff_dst is as its dst, and their dst as its src or its weights. */
typedef struct concord_cntk_convolution {
  size_t struct_size;
  concord_list kernel;
  concord_list map_count; /* 0: as many as weights have rows */
  concord_list stride;
  concord_list sharing;      /* flags: 0 means separate weights at every position of that axis */
  concord_list auto_padding; /* flags */
  concord_list lower_pad;
  concord_list upper_pad;
  int64_t max_temp_mem_size_in_samples; /* 0: the whole minibatch; changes no result */
  int32_t image_layout; /* CONCORD_LAYOUT_CUDNN; any other must be refused, so it has no result */
} concord_cntk_convolution;

/* Attributes of CONCORD_CNTK_CONVOLUTION_2D. weights are [maps,kernelWidth*kernelHeight*C]. */
typedef struct concord_cntk_convolution_2d {
  size_t struct_size;
  int64_t kernel_width;
  int64_t kernel_height;
  int64_t map_count; /* 0: as many as weights have rows */
  int64_t horizontal_stride;
  int64_t vertical_stride;
  int64_t zero_padding; /* a flag */
  int64_t max_temp_mem_size_in_samples;
  int32_t image_layout;
} concord_cntk_convolution_2d;

typedef enum concord_kernel_function {
  CONCORD_KERNEL_NET = 0,           /* the Internal-Net, from a distance to Cout*Cin weights */
  CONCORD_KERNEL_NET_K = 1,         /* from the first neighbour's distance to Cout*Cin*K weights */
  CONCORD_KERNEL_KEYS = 2,          /* the cubic of Keys with a = -1/2; theta is empty */
  CONCORD_KERNEL_NET_K_NEAREST = 3, /* as NET_K, from the closest pixel's, the left one of two */
  CONCORD_KERNEL_NET_K_GRID = 4     /* as NET_K, from the grid point itself */
} concord_kernel_function;

typedef enum concord_ties {
  CONCORD_TIES_HALF_OPEN = 0, /* of two neighbours at the border of the support, the left one */
  CONCORD_TIES_OPEN = 1,      /* neither */
  CONCORD_TIES_CLOSED = 2     /* both */
} concord_ties;

typedef enum concord_boundary {
  CONCORD_BOUNDARY_ZERO = 0,
  CONCORD_BOUNDARY_REPLICATE = 1,
  CONCORD_BOUNDARY_REFLECT = 2,  /* mirrored about the outermost element */
  CONCORD_BOUNDARY_SYMMETRIC = 3 /* mirrored about the edge */
} concord_boundary;

/* A fraction in lowest terms with a positive denominator: no tie is decided in floating point. */
typedef struct concord_rational {
  int64_t numerator;
  int64_t denominator;
} concord_rational;

/* Attributes of the CONCORD_CONTINUOUS_ operations: src is [N,Cin,H,W], weights are theta
 * [parameters]: A1, b1, A2, b2, A3, b3, each row-major; the layer's output is [N,Cout,H',W']. */
typedef struct concord_continuous {
  size_t struct_size;
  concord_rational scale_h;
  concord_rational scale_w;
  concord_list size;      /* H',W'; empty means ceil(scale * input) */
  concord_list kernel;    /* the support, in input pixels: height, width */
  concord_list widths;    /* of the net's two hidden layers */
  int64_t channels;       /* Cout */
  concord_rational slope; /* of the LeakyReLU */
  int32_t kernel_function;
  int32_t ties;
  int32_t boundary;
} concord_continuous;

typedef struct concord_rational_list {
  int32_t size;
  concord_rational at[CONCORD_MAX_RANK];
} concord_rational_list;

/* Attributes of CONCORD_CONTINUOUS_CHAIN: layer after layer, src is [N,C,H,W], weights are
 * [layers,parameters], theta of each, and every layer has C channels in and out. After layer j an
 * extent is ceil(extent of src * scale 1 * .. * scale j), after the last one exactly that product,
 * which must be an integer. */
typedef struct concord_continuous_chain {
  size_t struct_size;
  concord_rational_list scales_h; /* one a layer, and so of the width */
  concord_rational_list scales_w;
  concord_list kernel; /* of every layer, as all that follows */
  concord_list widths;
  concord_rational slope;
  int32_t kernel_function;
  int32_t ties;
  int32_t boundary;
} concord_continuous_chain;

/* A shape and its memory layout. Strides count elements; they are never negative, those of axes
 * with one element can be anything, and no two indices share an element. dtype 0: a tensor that is
 * not given (an optional input) or not needed (an output); the other fields then have no meaning.
 */
typedef struct concord_tensor {
  int32_t dtype;
  int32_t rank; /* 0 to CONCORD_MAX_RANK; dims and strides from this index on mean nothing */
  int64_t dims[CONCORD_MAX_RANK];
  int64_t strides[CONCORD_MAX_RANK];
} concord_tensor;

/* A shape without a layout. */
typedef struct concord_shape {
  int32_t rank;
  int64_t dims[CONCORD_MAX_RANK];
} concord_shape;

/* The order of the tensors is the operation's; each has one output, dst.
 *   the first three operations   src, weights, bias (without a bias num_inputs is 2)
 *   SPACE_TO_BATCH and back      src
 *   CNTK_, CONTINUOUS_, CHAIN    src, weights
 *   BACKWARD_DATA                src, of which only the shape is used, weights, diff_dst; dst is
 *                                diff_src
 *   BACKWARD_WEIGHTS             src, weights, of which CNTK's uses the shape alone, diff_dst; dst
 *                                is the gradient by weights
 *   BACKWARD_GRID                the same; dst is [2,H',W'], the gradient by the grid
 *   BACKWARD_KERNEL              src, weights, of which only the shape is used, diff_dst; dst is
 *                                [1,Cout,Cin,K,H',W'], the gradient by the weights of each output
 * In query an output has its dtype, and rank 0 unless the user stated a shape; in prepare every
 * tensor is complete. */
typedef struct concord_problem {
  size_t struct_size;
  int32_t operation;
  int32_t reading;
  int32_t num_inputs;
  int32_t num_outputs;
  const concord_tensor *inputs;
  const concord_tensor *outputs;
  const void *attributes; /* the struct that the operation names */
} concord_problem;

/* The arithmetic that a backend declares; Concord derives the accepted errors from it. All zeros
 * is the strictest: inputs as given, sums in f32, one rounding to nearest at the end.
 */
typedef enum concord_input_precision {
  CONCORD_INPUT_EXACT = 0, /* inputs are multiplied as given */
  CONCORD_INPUT_TF32 = 1,  /* f32 inputs rounded to 11 significant bits */
  CONCORD_INPUT_BF16 = 2,  /* f32 inputs rounded to bfloat16 */
  CONCORD_INPUT_BF16X3 = 3 /* f32 inputs split into two bfloat16, three products */
} concord_input_precision;

typedef enum concord_accumulator {
  CONCORD_ACCUMULATE_F32 = 0,
  CONCORD_ACCUMULATE_F64 = 1,
  CONCORD_ACCUMULATE_F16 = 2,
  CONCORD_ACCUMULATE_BF16 = 3
} concord_accumulator;

typedef enum concord_rounding {
  CONCORD_ROUND_NEAREST = 0,      /* to nearest, ties to even */
  CONCORD_ROUND_ZERO = 1,         /* toward zero */
  CONCORD_ROUND_NEAREST_AWAY = 2, /* to nearest, ties away from zero: output_rounding only */
  /* To either neighbour, or terms cut off when they are aligned, as matrix units do:
   * accumulator_rounding only. */
  CONCORD_ROUND_FAITHFUL = 3
} concord_rounding;

typedef enum concord_algorithm {
  CONCORD_CONVENTIONAL = 0, /* every output is a sum of products of inputs and weights */
  CONCORD_BILINEAR = 1      /* sums of inputs are multiplied, as in Winograd or FFT */
} concord_algorithm;

/* Where a bias is added. AFTER_STORE: the sum without it is rounded to the element type, as
 * output_rounding says; then the bias is added to that number, in f32 or wider, and the result is
 * rounded again in the same way. */
typedef enum concord_bias { CONCORD_BIAS_IN_SUM = 0, CONCORD_BIAS_AFTER_STORE = 1 } concord_bias;

/* The result of 0 * Inf and 0 * NaN where the weight is zero. IEEE multiplication gives NaN for
 * both; a sparse kernel that skips zero weights adds nothing. */
typedef enum concord_zero_weights {
  CONCORD_ZERO_WEIGHTS_MULTIPLIED = 0, /* as in IEEE 754 */
  CONCORD_ZERO_WEIGHTS_SKIPPED = 1     /* any of these products may be left out, none need be */
} concord_zero_weights;

/* All outputs of a problem share it. */
typedef struct concord_arithmetic {
  int32_t input_precision;
  int32_t accumulator;
  int32_t accumulator_rounding;
  int32_t output_rounding;
  int32_t flushes_subnormals; /* 1: subnormal inputs and results may count as zero */
  int32_t algorithm;
  int32_t bias;
  int32_t zero_weights;
  int32_t reserved[2]; /* zero */
} concord_arithmetic;

/* What query says about a problem. Concord zeroes it and sets struct_size beforehand. */
typedef struct concord_answer {
  size_t struct_size;
  /* The reason for CONCORD_UNSUPPORTED, CONCORD_INVALID and CONCORD_FAULT: one sentence. */
  char reason[CONCORD_TEXT];
  /* The shapes that the backend infers, in the axis order of the operation's data format:
   * num_outputs of the problem. */
  concord_shape outputs[CONCORD_MAX_TENSORS];
  concord_arithmetic arithmetic;
  int32_t same_bits_any_threads; /* 1: the same bits for any number of threads; else 0 */
  int32_t bits_vary_by_run;      /* 1: even repeating the same call may change the bits; else 0 */
  /* What the adapter does because its library cannot, such as "auto_pad, layout of weights". */
  char adapter_part[CONCORD_TEXT];
  /* What the library will run, if known, such as a kernel's name: shown, never judged. */
  char implementation[CONCORD_TEXT];
} concord_answer;

typedef struct concord_prepare_options {
  size_t struct_size;
  int32_t threads; /* how many threads execute may use, at least 1 */
  /* data[i] is the data of input i if they will be the same in every execute: the backend may pack
   * or copy them now. NULL: not known yet. Not to be read after prepare returns. */
  const void *data[CONCORD_MAX_TENSORS];
} concord_prepare_options;

/* What prepare returns. Concord zeroes it and sets struct_size beforehand. */
typedef struct concord_prepared {
  size_t struct_size;
  void *handle;
  size_t workspace_bytes;     /* scratch memory that execute needs, 0 for none */
  size_t workspace_alignment; /* a power of two; 0 means 64 */
  char reason[CONCORD_TEXT];
} concord_prepared;

/* The memory of one tensor: `data` is the element at index 0, `bytes` reaches exactly to the end of
 * the last element. No byte beyond may be read or written. Aligned for the dtype, no more. A tensor
 * without elements, or one that is not given, has bytes 0 and any `data`, possibly NULL. */
typedef struct concord_buffer {
  void *data;
  size_t bytes;
} concord_buffer;

typedef struct concord_execution {
  size_t struct_size;
  const concord_buffer *inputs; /* num_inputs of them; not to be written */
  /* num_outputs of them, full of garbage. Write the elements, but not the gaps between them. */
  const concord_buffer *outputs;
  void *workspace; /* full of garbage */
  size_t workspace_bytes;
  char *reason; /* CONCORD_TEXT bytes for a sentence, if execute fails */
} concord_execution;

/* The table of a plugin. Every function pointer up to release is set. `backend` is what open
 * returned. abi is the first field in this version and every later one. */
typedef struct concord_plugin {
  uint32_t abi; /* CONCORD_ABI */
  size_t struct_size;
  const char *name;    /* "mylib" */
  const char *version; /* "1.2.3", of the library that computes */

  /* Starts the backend. `config` is what the user wrote after the plugin's name and a colon, ""
   * for nothing; `reason` has CONCORD_TEXT bytes.
   * CONCORD_OK, or CONCORD_INVALID for a config it does not know, or CONCORD_FAULT. */
  concord_status (*open)(const char *config, void **backend, char *reason);
  void (*close)(void *backend);

  /* Says whether the problem is served; repeated calls must agree. Claiming to serve a problem and
   * failing is worse than declining it. Cheap: computes nothing.
   * CONCORD_OK: served, *answer is complete. CONCORD_UNSUPPORTED: declined. CONCORD_INVALID: the
   * specification forbids this problem. */
  concord_status (*query)(void *backend, const concord_problem *problem, concord_answer *answer);

  /* Builds what execute needs, for a problem that query served, with every tensor complete. */
  concord_status (*prepare)(void *backend, const concord_problem *problem,
                            const concord_prepare_options *options, concord_prepared *prepared);
  concord_status (*execute)(void *backend, void *handle, const concord_execution *execution);
  void (*release)(void *backend, void *handle);

  /* Optional: may be NULL, or beyond struct_size. Describes how the backend would compute a problem
   * that query served, with every tensor complete: readable lines that name the algorithm, the
   * kernel, tiles, packing, what limits the time. `text` has `size` bytes, at least CONCORD_TEXT;
   * what does not fit with the terminating zero is left out.
   * CONCORD_OK, or CONCORD_UNSUPPORTED if nothing is known about this problem. */
  concord_status (*describe_plan)(void *backend, const concord_problem *problem,
                                  const concord_prepare_options *options, char *text, size_t size);
} concord_plugin;

/* The one symbol that a plugin exports. Never NULL, the same on every call. */
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const concord_plugin *
concord_plugin_v1(void);

typedef const concord_plugin *(*concord_plugin_v1_function)(void);
#define CONCORD_PLUGIN_SYMBOL "concord_plugin_v1"

#ifdef __cplusplus
}
#endif

#endif /* CONCORD_PLUGIN_H_ */
