/* SPDX-License-Identifier: Apache-2.0 */
/* A shared object that is no plugin. */
__attribute__((visibility("default"))) int answer_to_everything(void);
int answer_to_everything(void) { return 42; }
