/* Length histograms of a ServeGen client. */
#ifndef TOKTRACE_SERVEGEN_DATASET_H
#define TOKTRACE_SERVEGEN_DATASET_H

#include "replay/servegen.h"

void servegen_histogram_release(struct servegen_histogram *histogram);

/* Reads {"window start": {"input_tokens": "{length: weight, …}", …}, …} into
 * client->lengths. The histograms are strings that hold dictionaries with bare
 * integers for keys; windows without any length are left out. */
int servegen_load_dataset(struct servegen_client *client, const char *path,
                          struct fault *fault);

#endif
