/* Vectors of FNV-1a, 64 bits, from draft-eastlake-fnv, appendix C. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "formats/base/hash.h"

static void published_vectors(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t hash;
    } vectors[] = {
        { "", UINT64_C(0xcbf29ce484222325) },
        { "a", UINT64_C(0xaf63dc4c8601ec8c) },
        { "foobar", UINT64_C(0x85944171f73967e8) },
    };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        assert_true(hash_fnv1a(HASH_FNV1A_START, vectors[i].text, strlen(vectors[i].text))
                    == vectors[i].hash);
}

static void parts_give_the_hash_of_the_whole(void **state)
{
    (void)state;
    uint64_t hash = hash_fnv1a(HASH_FNV1A_START, "foo", 3);
    assert_true(hash_fnv1a(hash, "bar", 3) == UINT64_C(0x85944171f73967e8));
}

static void numbers_go_in_least_byte_first(void **state)
{
    (void)state;
    uint64_t bytes = hash_fnv1a(HASH_FNV1A_START, "\x08\x07\x06\x05\x04\x03\x02\x01", 8);
    assert_true(hash_fnv1a_u64(HASH_FNV1A_START, UINT64_C(0x0102030405060708)) == bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_vectors),
        cmocka_unit_test(parts_give_the_hash_of_the_whole),
        cmocka_unit_test(numbers_go_in_least_byte_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
