#pragma once
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

// Swift sees neither OpenSSL's macros nor its variadic functions: one wrapper for each that is used.

static inline EVP_PKEY *cplayground_make_key(void) { return EVP_EC_gen("P-256"); }

static inline int cplayground_add_extension(X509 *certificate, int nid, const char *value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, NULL, NULL, 0);
  X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
  if (!extension) return 0;
  int added = X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
  return added;
}

// A record that could not be sent whole may be offered again from another address.
static inline void cplayground_allow_partial_writes(SSL_CTX *context) {
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}

static inline int cplayground_require_tls12(SSL_CTX *context) {
  return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}

static inline BIO *cplayground_open_bytes(const void *bytes, int count) { return BIO_new_mem_buf(bytes, count); }

// The bytes belong to the BIO.
static inline long cplayground_bytes(BIO *bio, char **bytes) { return BIO_get_mem_data(bio, bytes); }
