/* Where requests go, and what all of them share: URL, headers, TLS. Holds secrets: never
 * printed, never written. */
#ifndef TOKTRACE_TARGET_H
#define TOKTRACE_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include <curl/curl.h>

#include "formats/base/buffer.h"
#include "formats/base/fault.h"
#include "formats/base/options.h"
#include "replay/request_body.h"

struct target_options {
    const char *url; /* base, with or without /v1 or the whole path */
    int api;         /* enum request_api */
    const char
        *api_key_env; /* name of the environment variable with the key; NULL: no key */
    struct option_list headers; /* "Name: value" */
    const char *ca_file;
    const char *client_certificate;
    const char *client_key;
    bool insecure;
    bool http2;
    struct option_list source_addresses; /* local addresses to connect from, in turn */
};

struct target {
    char *url;                  /* owned; of the endpoint */
    struct curl_slist *headers; /* owned; with the key */
    const struct target_options *options;
};

/* Checks the options and composes URL and headers. STATUS_USAGE on a bad URL or header,
 * or a named key that is not in the environment. `options` is borrowed. */
int target_init(struct target *target, const struct target_options *options,
                struct fault *fault);
void target_release(struct target *target);

/* Sets on a handle all that the target says: URL, headers, TLS, protocol, redirects.
 * Bodies that come compressed, though nobody asked, are decompressed. */
void target_apply(const struct target *target, CURL *easy);

/* Makes connection number `turn` leave from one of the source addresses, if there are
 * any. */
void target_apply_source(const struct target *target, CURL *easy, size_t turn);

/* The TCP port of the URL. */
uint16_t target_port(const struct target *target);

/* The URL of the list of models that belongs to the endpoint. Caller frees. */
char *target_models_url(const struct target *target);

/* The URL without user and password, for manifests and messages. Caller frees. */
char *target_public_url(const struct target *target);

#endif
