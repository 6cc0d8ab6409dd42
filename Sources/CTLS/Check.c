#include "Private.h"
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>

enum { OTHERS = 8 };

struct ctls_check {
  char *name;
  bool is_address;
  bool has_pin;
  uint8_t pin[CTLS_DIGEST_SIZE];
  X509_STORE *authorities;

  ctls_verdict verdict;
  uint8_t *leaf;
  size_t leaf_size;
  uint8_t fingerprint[CTLS_DIGEST_SIZE];
  unsigned problems;
  int others[OTHERS];
  size_t other_count;
};

ctls_check *ctls_check_new(const char *name, bool is_address) {
  ctls_check *check = calloc(1, sizeof *check);
  if (!check) return NULL;
  check->name = strdup(name);
  check->is_address = is_address;
  if (check->name) return check;
  free(check);
  return NULL;
}

static void forget_handshake(ctls_check *check) {
  OPENSSL_free(check->leaf);
  check->leaf = NULL;
  check->leaf_size = 0;
  check->verdict = CTLS_UNDECIDED;
  check->problems = 0;
  check->other_count = 0;
}

void ctls_check_free(ctls_check *check) {
  if (!check) return;
  forget_handshake(check);
  X509_STORE_free(check->authorities);
  free(check->name);
  free(check);
}

ctls_verdict ctls_check_verdict(const ctls_check *check) { return check->verdict; }

const uint8_t *ctls_check_leaf(const ctls_check *check, size_t *size) {
  *size = check->leaf_size;
  return check->leaf;
}

const uint8_t *ctls_check_fingerprint(const ctls_check *check) { return check->fingerprint; }

unsigned ctls_check_problems(const ctls_check *check) { return check->problems; }

const char *ctls_check_other_problem(const ctls_check *check, size_t index) {
  return index < check->other_count ? X509_verify_cert_error_string(check->others[index]) : NULL;
}

bool ctls_is_equal(const uint8_t *one, const uint8_t *other, size_t size) {
  return CRYPTO_memcmp(one, other, size) == 0;
}

bool ctls_peer_fingerprint(void *ssl, uint8_t digest[CTLS_DIGEST_SIZE]) {
  X509 *leaf = SSL_get1_peer_certificate(ssl);
  bool is_known = leaf && X509_digest(leaf, EVP_sha256(), digest, NULL) == 1;
  X509_free(leaf);
  ERR_clear_error();  // a leftover would look like an error of the connection's
  return is_known;
}

static void add_other(ctls_check *check, int error) {
  for (size_t i = 0; i < check->other_count; i++)
    if (check->others[i] == error) return;
  if (check->other_count < OTHERS) check->others[check->other_count++] = error;
}

// What OpenSSL says about the server's own certificate; a fault further up the chain stays in its words.
static unsigned problem(int error, int depth) {
  switch (error) {
  case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
  case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
  case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
  case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
  case X509_V_ERR_CERT_UNTRUSTED: return CTLS_UNKNOWN_ISSUER;
  case X509_V_ERR_HOSTNAME_MISMATCH:
  case X509_V_ERR_IP_ADDRESS_MISMATCH: return CTLS_WRONG_NAME;
  case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT: return CTLS_SELF_SIGNED;
  default: break;
  }
  if (depth > 0) return 0;
  switch (error) {
  case X509_V_ERR_CERT_HAS_EXPIRED: return CTLS_EXPIRED;
  case X509_V_ERR_CERT_NOT_YET_VALID: return CTLS_NOT_YET_VALID;
  case X509_V_ERR_EE_KEY_TOO_SMALL: return CTLS_WEAK_KEY;
  case X509_V_ERR_CA_MD_TOO_WEAK: return CTLS_WEAK_SIGNATURE;
  default: return 0;
  }
}

// Where an X509_STORE_CTX keeps the check that collects its errors.
static CRYPTO_ONCE slot_once = CRYPTO_ONCE_STATIC_INIT;
static int slot = -1;
static void make_slot(void) { slot = X509_STORE_CTX_get_ex_new_index(0, NULL, NULL, NULL, NULL); }

static int check_slot(void) {
  CRYPTO_THREAD_run_once(&slot_once, make_slot);
  return slot;
}

static void note_error(ctls_check *check, X509_STORE_CTX *context) {
  int error = X509_STORE_CTX_get_error(context);
  unsigned found = problem(error, X509_STORE_CTX_get_error_depth(context));
  check->problems |= found;
  if (!found) add_other(check, error);
}

// Notes a fault and goes on to the next.
static int collect(int is_fine, X509_STORE_CTX *context) {
  ctls_check *check = X509_STORE_CTX_get_ex_data(context, check_slot());
  if (is_fine || !check) return is_fine;
  note_error(check, context);
  return 1;
}

// A second look at the chain that `original` holds: by other authorities, or for all that is wrong with it.
static int verify_again(X509_STORE_CTX *original, X509_STORE *store, ctls_check *collector) {
  X509_STORE_CTX *context = X509_STORE_CTX_new();
  int passed = 0;
  if (context
      && X509_STORE_CTX_init(
        context, store, X509_STORE_CTX_get0_cert(original), X509_STORE_CTX_get0_untrusted(original))
      && X509_VERIFY_PARAM_set1(X509_STORE_CTX_get0_param(context), X509_STORE_CTX_get0_param(original))) {
    if (collector && X509_STORE_CTX_set_ex_data(context, check_slot(), collector)) {
      X509_STORE_CTX_set_verify_cb(context, collect);
      // A key that is too weak would end it at once.
      X509_VERIFY_PARAM_set_auth_level(X509_STORE_CTX_get0_param(context), 0);
    }
    passed = X509_verify_cert(context) == 1;
  }
  X509_STORE_CTX_free(context);
  return passed && !collector;
}

// All of them: the strict verification ends at the first.
static void note_problems(ctls_check *check, X509_STORE_CTX *context, const X509 *leaf) {
  note_error(check, context);
  verify_again(context, X509_STORE_CTX_get0_store(context), check);
  if (ctls_has_weak_key(leaf)) check->problems |= CTLS_WEAK_KEY;
  if (ctls_has_weak_signature(leaf)) check->problems |= CTLS_WEAK_SIGNATURE;
}

// The name is checked here and nowhere else: libcurl is told to leave it (CURLOPT_SSL_VERIFYHOST 0).
static bool expect_name(const ctls_check *check, X509_VERIFY_PARAM *parameters) {
  if (check->is_address) return X509_VERIFY_PARAM_set1_ip_asc(parameters, check->name) == 1;
  X509_VERIFY_PARAM_set_hostflags(parameters, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  return X509_VERIFY_PARAM_set1_host(parameters, check->name, 0) == 1;
}

static bool is_pinned(const ctls_check *check, const X509 *leaf) {
  return check->has_pin && ctls_is_equal(check->fingerprint, check->pin, sizeof check->pin)
    && !ctls_has_weak_key(leaf);
}

// By the system, by the authorities of the person's file, by the pin, in this order; else the handshake ends here,
// before a byte of the request. Nobody is asked: the callback holds up all transfers.
static ctls_verdict decide(ctls_check *check, X509_STORE_CTX *context, const X509 *leaf) {
  if (!expect_name(check, X509_STORE_CTX_get0_param(context))) return CTLS_REFUSED;
  if (X509_verify_cert(context) == 1) return CTLS_SYSTEM;
  if (check->authorities && verify_again(context, check->authorities, NULL)) return CTLS_AUTHORITIES;
  note_problems(check, context, leaf);
  return is_pinned(check, leaf) ? CTLS_PINNED : CTLS_REFUSED;
}

static int verify(X509_STORE_CTX *context, void *data) {
  ctls_check *check = data;
  forget_handshake(check);
  check->verdict = CTLS_REFUSED;
  X509 *leaf = X509_STORE_CTX_get0_cert(context);
  int size = leaf ? i2d_X509(leaf, &check->leaf) : -1;
  if (size > 0 && X509_digest(leaf, EVP_sha256(), check->fingerprint, NULL) == 1) {
    check->leaf_size = (size_t)size;
    check->verdict = decide(check, context, leaf);
  }
  ERR_clear_error();  // a leftover would look like an error of the connection's
  if (check->verdict == CTLS_REFUSED) {
    if (X509_STORE_CTX_get_error(context) == X509_V_OK)
      X509_STORE_CTX_set_error(context, X509_V_ERR_APPLICATION_VERIFICATION);
    return 0;
  }
  X509_STORE_CTX_set_error(context, X509_V_OK);
  return 1;
}

size_t ctls_count_authorities(const char *path) {
  X509_STORE *store = X509_STORE_new();
  size_t count = 0;
  if (store && X509_STORE_load_locations(store, path, NULL) == 1) {
    STACK_OF(X509_OBJECT) *objects = X509_STORE_get0_objects(store);
    for (int i = 0; i < sk_X509_OBJECT_num(objects); i++)
      count += X509_OBJECT_get0_X509(sk_X509_OBJECT_value(objects, i)) != NULL;
  }
  X509_STORE_free(store);
  ERR_clear_error();
  return count;
}

// NULL when the file cannot be read, or has nothing that can be.
static X509_STORE *load_authorities(const char *path) {
  X509_STORE *store = X509_STORE_new();
  if (store && X509_STORE_load_locations(store, path, NULL) == 1) return store;
  ERR_clear_error();
  X509_STORE_free(store);
  return NULL;
}

bool ctls_check_begin(ctls_check *check, void *ssl_ctx, const uint8_t *pin, const char *authorities) {
  forget_handshake(check);
  check->has_pin = pin != NULL;
  if (pin) memcpy(check->pin, pin, sizeof check->pin);
  // In a store of their own: libcurl shares the system's among all servers.
  X509_STORE_free(check->authorities);
  check->authorities = authorities ? load_authorities(authorities) : NULL;
  // A server that renegotiates would have the check asked when its transfer is long gone.
  SSL_CTX_set_options(ssl_ctx, SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_cert_verify_callback(ssl_ctx, verify, check);
  return !authorities || check->authorities;
}
