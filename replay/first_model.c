#include "replay/first_model.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/buffer.h"
#include "formats/base/clock.h"
#include "formats/base/json.h"
#include "formats/base/memory.h"

/* A list of models is small; what is larger is none. */
enum { MODEL_LIST_MAX = 1024 * 1024 };

static size_t on_model_list(char *bytes, size_t size, size_t count, void *context)
{
    struct buffer *list = context;
    if (list->len + size * count > MODEL_LIST_MAX)
        return CURL_WRITEFUNC_ERROR;
    buffer_append(list, bytes, size * count);
    return size * count;
}

static char *first_model_of(const struct buffer *list)
{
    json_t *document = json_loadb(list->data, list->len, 0, NULL);
    const json_t *first = json_array_get(json_object_get(document, "data"), 0);
    const char *id = json_string_value(json_object_get(first, "id"));
    char *model = id == NULL ? NULL : memory_copy_text(id, strlen(id));
    json_decref(document);
    return model;
}

char *target_first_model(const struct target *target, int64_t timeout_ns)
{
    CURL *easy = curl_easy_init();
    if (easy == NULL)
        return NULL;
    struct buffer list = BUFFER_INIT;
    char *url = target_models_url(target);
    target_apply(target, easy);
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);
    curl_easy_setopt(easy, CURLOPT_FAILONERROR, 1L);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_model_list);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &list);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)(timeout_ns / NS_PER_MS));
    char *model = curl_easy_perform(easy) == CURLE_OK ? first_model_of(&list) : NULL;
    curl_easy_cleanup(easy);
    free(url);
    buffer_release(&list);
    return model;
}
