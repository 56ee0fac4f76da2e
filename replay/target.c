#include "replay/target.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/memory.h"

enum { REDIRECTS_MAX = 5 };

/* The endpoint's path for a base URL's path: "", "/v1" and the whole path are all
 * understood. */
static void endpoint_path(struct buffer *path, const char *base, enum request_api api)
{
    const char *endpoint = request_api_path(api); /* "/v1/..." */
    size_t len = strlen(base);
    while (len > 0 && base[len - 1] == '/')
        len--;
    size_t endpoint_len = strlen(endpoint);
    buffer_append(path, base, len);
    if (len >= endpoint_len &&
        memcmp(base + len - endpoint_len, endpoint, endpoint_len) == 0)
        return;
    bool has_version = len >= 3 && memcmp(base + len - 3, "/v1", 3) == 0;
    buffer_append_text(path, has_version ? endpoint + 3 : endpoint);
}

/* Without the URL itself where that may hold a password. */
static int url_fault(struct fault *fault, const char *url, const char *reason)
{
    return fault_set(fault, STATUS_USAGE,
                     "--url: expected http://HOST:PORT or https://HOST, not '%s'%s%s",
                     strchr(url, '@') == NULL ? url : "...", reason == NULL ? "" : ": ",
                     reason == NULL ? "" : reason);
}

static int check_scheme(CURLU *parsed, const char *url, struct fault *fault)
{
    char *scheme = NULL;
    CURLUcode code = curl_url_get(parsed, CURLUPART_SCHEME, &scheme, 0);
    if (code != CURLUE_OK)
        return url_fault(fault, url, curl_url_strerror(code));
    bool known = strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0;
    curl_free(scheme);
    return known ? STATUS_OK : url_fault(fault, url, NULL);
}

static int compose_url(struct target *target, struct fault *fault)
{
    const char *url = target->options->url;
    CURLU *parsed = curl_url();
    char *path = NULL;
    char *whole = NULL;
    struct buffer endpoint = BUFFER_INIT;
    CURLUcode code = curl_url_set(parsed, CURLUPART_URL, url, 0);
    int status = STATUS_OK;
    if (code == CURLUE_UNSUPPORTED_SCHEME)
        status = url_fault(fault, url, NULL);
    else if (code != CURLUE_OK)
        status = url_fault(fault, url, curl_url_strerror(code));
    else
        status = check_scheme(parsed, url, fault);
    if (status != STATUS_OK)
        goto done;
    curl_url_get(parsed, CURLUPART_PATH, &path, 0);
    endpoint_path(&endpoint, path == NULL ? "" : path,
                  (enum request_api)target->options->api);
    curl_url_set(parsed, CURLUPART_PATH, buffer_text(&endpoint), 0);
    code = curl_url_get(parsed, CURLUPART_URL, &whole, 0);
    if (code != CURLUE_OK)
        status = url_fault(fault, url, curl_url_strerror(code));
    else
        target->url = memory_copy_text(whole, strlen(whole));
done:
    buffer_release(&endpoint);
    curl_free(path);
    curl_free(whole);
    curl_url_cleanup(parsed);
    return status;
}

static void target_add_header(struct target *target, const char *line)
{
    target->headers = curl_slist_append(target->headers, line);
    if (target->headers == NULL)
        abort();
}

static int add_user_headers(struct target *target, struct fault *fault)
{
    const struct option_list *headers = &target->options->headers;
    for (size_t at = 0; at < headers->count; at++) {
        const char *line = headers->items[at];
        const char *colon = strchr(line, ':');
        if (colon == NULL || colon == line || strpbrk(line, "\r\n") != NULL)
            return fault_set(fault, STATUS_USAGE,
                             "--header: number %zu is not of the form 'Name: value'",
                             at + 1);
        target_add_header(target, line);
    }
    return STATUS_OK;
}

static int check_source_addresses(const struct target_options *options,
                                  struct fault *fault)
{
    const struct option_list *addresses = &options->source_addresses;
    unsigned char address[sizeof(struct in6_addr)];
    for (size_t at = 0; at < addresses->count; at++)
        if (inet_pton(AF_INET, addresses->items[at], address) != 1 &&
            inet_pton(AF_INET6, addresses->items[at], address) != 1)
            return fault_set(fault, STATUS_USAGE,
                             "--source-address: '%s' is no IP address",
                             addresses->items[at]);
    return STATUS_OK;
}

static int add_key(struct target *target, struct fault *fault)
{
    const char *name = target->options->api_key_env;
    if (name == NULL)
        return STATUS_OK;
    const char *key = getenv(name);
    if (key == NULL || key[0] == '\0')
        return fault_set(fault, STATUS_USAGE, "--api-key-env: the environment has no %s",
                         name);
    if (strpbrk(key, "\r\n") != NULL)
        return fault_set(fault, STATUS_USAGE, "--api-key-env: %s holds a line break",
                         name);
    struct buffer line = BUFFER_INIT;
    buffer_printf(&line, "Authorization: Bearer %s", key);
    target_add_header(target, buffer_text(&line));
    buffer_release(&line);
    return STATUS_OK;
}

int target_init(struct target *target, const struct target_options *options,
                struct fault *fault)
{
    *target = (struct target){ .options = options };
    if (options->url == NULL)
        return fault_set(fault, STATUS_USAGE, "--url is needed: where the server is");
    int status = compose_url(target, fault);
    if (status == STATUS_OK)
        status = check_source_addresses(options, fault);
    if (status != STATUS_OK)
        return status;
    target_add_header(target, "Content-Type: application/json");
    target_add_header(target, "Accept: text/event-stream");
    /* A large body would else wait for "100 Continue". */
    target_add_header(target, "Expect:");
    status = add_user_headers(target, fault);
    return status != STATUS_OK ? status : add_key(target, fault);
}

void target_release(struct target *target)
{
    free(target->url);
    curl_slist_free_all(target->headers);
    *target = (struct target){ 0 };
}

/* Before 8.0.0 libcurl's second request on a cleartext HTTP/2 connection always fails. */
static bool can_reuse_http2(const struct target *target)
{
    enum { FIRST_GOOD_VERSION = 0x080000 };
    static const char cleartext[] = "http:";
    return strncmp(target->url, cleartext, sizeof cleartext - 1) != 0 ||
           curl_version_info(CURLVERSION_NOW)->version_num >= FIRST_GOOD_VERSION;
}

void target_apply(const struct target *target, CURL *easy)
{
    const struct target_options *options = target->options;
    curl_easy_setopt(easy, CURLOPT_URL, target->url);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, target->headers);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
                     options->http2 ? (long)CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE
                                    : (long)CURL_HTTP_VERSION_1_1);
    if (options->http2 && !can_reuse_http2(target))
        curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
    curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "identity");
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(easy, CURLOPT_MAXREDIRS, (long)REDIRECTS_MAX);
    curl_easy_setopt(easy, CURLOPT_POSTREDIR, (long)CURL_REDIR_POST_ALL);
    curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, options->insecure ? 0L : 1L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, options->insecure ? 0L : 2L);
    if (options->ca_file != NULL)
        curl_easy_setopt(easy, CURLOPT_CAINFO, options->ca_file);
    if (options->client_certificate != NULL)
        curl_easy_setopt(easy, CURLOPT_SSLCERT, options->client_certificate);
    if (options->client_key != NULL)
        curl_easy_setopt(easy, CURLOPT_SSLKEY, options->client_key);
}

void target_apply_source(const struct target *target, CURL *easy, size_t turn)
{
    const struct option_list *addresses = &target->options->source_addresses;
    if (addresses->count == 0)
        return;
    struct buffer name = BUFFER_INIT;
    buffer_printf(&name, "host!%s", addresses->items[turn % addresses->count]);
    curl_easy_setopt(easy, CURLOPT_INTERFACE, buffer_text(&name));
    buffer_release(&name);
}

uint16_t target_port(const struct target *target)
{
    CURLU *parsed = curl_url();
    char *text = NULL;
    curl_url_set(parsed, CURLUPART_URL, target->url, 0);
    curl_url_get(parsed, CURLUPART_PORT, &text, CURLU_DEFAULT_PORT);
    uint16_t port = text == NULL ? 0 : (uint16_t)strtoul(text, NULL, 10);
    curl_free(text);
    curl_url_cleanup(parsed);
    return port;
}

char *target_models_url(const struct target *target)
{
    const char *endpoint = request_api_path((enum request_api)target->options->api);
    const char *found = strstr(target->url, endpoint);
    size_t base_len = found == NULL ? strlen(target->url) : (size_t)(found - target->url);
    struct buffer url = BUFFER_INIT;
    buffer_append(&url, target->url, base_len);
    buffer_append_text(&url, "/v1/models");
    char *text = memory_copy_text(url.data, url.len);
    buffer_release(&url);
    return text;
}

char *target_public_url(const struct target *target)
{
    CURLU *parsed = curl_url();
    char *whole = NULL;
    curl_url_set(parsed, CURLUPART_URL, target->url, 0);
    curl_url_set(parsed, CURLUPART_USER, NULL, 0);
    curl_url_set(parsed, CURLUPART_PASSWORD, NULL, 0);
    curl_url_set(parsed, CURLUPART_QUERY, NULL, 0);
    curl_url_get(parsed, CURLUPART_URL, &whole, 0);
    char *url =
        memory_copy_text(whole == NULL ? "" : whole, whole == NULL ? 0 : strlen(whole));
    curl_free(whole);
    curl_url_cleanup(parsed);
    return url;
}
