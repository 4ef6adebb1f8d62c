// SPDX-License-Identifier: Apache-2.0
// The part of a stand-alone program that is the same for every failure. What stands before it
// defines PLUGIN, CONFIG, OPERATION, READING, NUM_INPUTS, THREADS, OTHER_THREADS (0: none),
// ALSO_IF_BITS_DIFFER (whether a plugin that promises no bits is asked for those), WARMED,
// ATTEMPTS, SECONDS, IS_VALID, SEQUENCE, HIDES_WEIGHTS, EXECUTIONS, MANY_ROUNDS, ON_ANOTHER_THREAD,
// ELEMENT_BYTES, FRACTION_BITS and SMALLEST (of the dtype of dst), DST_BYTES, elements, inputs,
// output, asked_output, attributes, images, other_images, image_bytes, is_constant, lowest,
// highest, nan_too, the same with later_ before them for other inputs, attributes_type,
// ASKS_UNKNOWN, UNKNOWN (what is replaced at last) and UNKNOWN_NUMBER, and STATISTICAL, MEAN_ZERO,
// MEAN_SQUARE_LIMIT, BIAS_LIMIT, wanted and scales for the statistical tier.
#ifndef CONCORD_CONFORMANCE_SHRINK_PROGRAM_BODY_H_
#define CONCORD_CONFORMANCE_SHRINK_PROGRAM_BODY_H_

namespace concord::conformance {

/// In this order.
extern const char* const kProgramMemory;
extern const char* const kProgramConduct;
extern const char* const kProgramConversation;

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_SHRINK_PROGRAM_BODY_H_
