#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Decides inside the handshake whether a server's certificate is trusted, and describes it (docs/rules.md 2.3 and 2.4).

enum { CTLS_DIGEST_SIZE = 32 };

typedef enum {
  // No handshake has come so far.
  CTLS_UNDECIDED,
  CTLS_SYSTEM,
  CTLS_AUTHORITIES,
  CTLS_PINNED,
  CTLS_REFUSED,
} ctls_verdict;

typedef enum {
  CTLS_SELF_SIGNED = 1 << 0,
  CTLS_UNKNOWN_ISSUER = 1 << 1,
  CTLS_WRONG_NAME = 1 << 2,
  CTLS_EXPIRED = 1 << 3,
  CTLS_NOT_YET_VALID = 1 << 4,
  CTLS_WEAK_KEY = 1 << 5,
  CTLS_WEAK_SIGNATURE = 1 << 6,
} ctls_problem;

// What one transfer expects of its server, and what the last handshake showed.
typedef struct ctls_check ctls_check;

// For a host name, or for an address as text. NULL when memory is short.
ctls_check *ctls_check_new(const char *name, bool is_address);
void ctls_check_free(ctls_check *check);

// Has the handshakes of an SSL_CTX decided by this check, which must live until the first of them is over. `pin` has
// CTLS_DIGEST_SIZE bytes or is NULL; `authorities` is a PEM file or NULL. False when that file cannot be read: the check
// goes on without it.
bool ctls_check_begin(ctls_check *check, void *ssl_ctx, const uint8_t *pin, const char *authorities);

// How many certificates a PEM file has, if all of it can be read, else 0.
size_t ctls_count_authorities(const char *path);

ctls_verdict ctls_check_verdict(const ctls_check *check);
// The server's certificate, DER; empty before a handshake.
const uint8_t *ctls_check_leaf(const ctls_check *check, size_t *size);
// Its SHA-256; of no meaning while that is empty.
const uint8_t *ctls_check_fingerprint(const ctls_check *check);
// Bits of ctls_problem; none when the system trusts the certificate.
unsigned ctls_check_problems(const ctls_check *check);
// Further problems, in OpenSSL's words; NULL from the first index that has none.
const char *ctls_check_other_problem(const ctls_check *check, size_t index);

// SHA-256 of the certificate that the server of an SSL showed.
bool ctls_peer_fingerprint(void *ssl, uint8_t digest[CTLS_DIGEST_SIZE]);

bool ctls_is_equal(const uint8_t *one, const uint8_t *other, size_t size);

typedef struct {
  uint8_t fingerprint[CTLS_DIGEST_SIZE];
  uint8_t key_fingerprint[CTLS_DIGEST_SIZE];
  // Texts are UTF-8, their control characters escaped.
  char *subject;
  char *issuer;
  char *key;
  char **names;
  size_t name_count;
  // Seconds since 1970.
  int64_t valid_from;
  int64_t valid_until;
} ctls_description;

// NULL when it is no certificate or memory is short.
ctls_description *ctls_describe(const uint8_t *der, size_t size);
void ctls_description_free(ctls_description *description);
