#include "formats/base/fault.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Faults quote what was found in files and answers; control characters would reach the
 * terminal. */
static void replace_control_characters(char *text)
{
    for (char *at = text; *at != '\0'; at++) {
        unsigned char byte = (unsigned char)*at;
        if (byte < 0x20 || byte == 0x7f)
            *at = '?';
    }
}

static void append(struct fault *fault, size_t from, const char *text)
{
    snprintf(fault->text + from, sizeof fault->text - from, "%s", text);
}

int fault_set(struct fault *fault, enum status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fault->text, sizeof fault->text, format, arguments);
    va_end(arguments);
    replace_control_characters(fault->text);
    return status;
}

int fault_set_errno(struct fault *fault, const char *format, ...)
{
    int error = errno;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fault->text, sizeof fault->text, format, arguments);
    va_end(arguments);
    append(fault, strlen(fault->text), ": ");
    append(fault, strlen(fault->text), strerror(error));
    replace_control_characters(fault->text);
    return STATUS_IO;
}

void fault_prefix(struct fault *fault, const char *format, ...)
{
    struct fault old = *fault;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fault->text, sizeof fault->text, format, arguments);
    va_end(arguments);
    append(fault, strlen(fault->text), ": ");
    append(fault, strlen(fault->text), old.text);
    replace_control_characters(fault->text);
}

int status_exit_code(int status)
{
    switch (status) {
    case STATUS_OK:
        return 0;
    case STATUS_USAGE:
        return 2;
    case STATUS_BAD_INPUT:
    case STATUS_UNSUPPORTED:
    case STATUS_LIMIT:
        return 3;
    case STATUS_IO:
    case STATUS_NETWORK:
        return 4;
    default:
        return 5;
    }
}
