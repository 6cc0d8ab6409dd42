#include "Private.h"
#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/objects.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// As RFC 2253 escapes, but with UTF-8 left as it is.
static const unsigned long text_flags = ASN1_STRFLGS_RFC2253 & ~(unsigned long)ASN1_STRFLGS_ESC_MSB;

static bool is_elliptic(int type) { return type == EVP_PKEY_EC; }
static bool is_factored(int type) { return type == EVP_PKEY_RSA || type == EVP_PKEY_RSA_PSS || type == EVP_PKEY_DSA; }

bool ctls_has_weak_key(const X509 *certificate) {
  EVP_PKEY *key = X509_get0_pubkey(certificate);
  if (!key) return true;
  int type = EVP_PKEY_get_base_id(key), bits = EVP_PKEY_get_bits(key);
  return (is_factored(type) && bits < 2048) || (is_elliptic(type) && bits < 224);
}

bool ctls_has_weak_signature(const X509 *certificate) {
  int digest = NID_undef;
  X509_get_signature_info((X509 *)certificate, &digest, NULL, NULL, NULL);
  return digest == NID_sha1 || digest == NID_md5 || digest == NID_md5_sha1 || digest == NID_md4;
}

// The text of a memory BIO, which is freed. NULL when memory is short.
static char *take_text(BIO *bio) {
  char *bytes = NULL;
  long size = BIO_get_mem_data(bio, &bytes);
  char *text = size >= 0 ? malloc((size_t)size + 1) : NULL;
  if (text) {
    if (size > 0) memcpy(text, bytes, (size_t)size);
    text[size] = 0;
  }
  BIO_free(bio);
  return text;
}

static char *name_text(const X509_NAME *name) {
  BIO *bio = BIO_new(BIO_s_mem());
  if (!bio) return NULL;
  X509_NAME_print_ex(bio, name, 0, text_flags | XN_FLAG_SEP_CPLUS_SPC | XN_FLAG_FN_SN);
  return take_text(bio);
}

static char *string_text(const ASN1_STRING *string) {
  BIO *bio = BIO_new(BIO_s_mem());
  if (!bio) return NULL;
  ASN1_STRING_print_ex(bio, string, text_flags & ~(unsigned long)ASN1_STRFLGS_ESC_2253);
  return take_text(bio);
}

static char *address_text(const ASN1_OCTET_STRING *address) {
  int size = ASN1_STRING_length(address);
  char text[INET6_ADDRSTRLEN];
  if (size != 4 && size != 16) return NULL;
  return inet_ntop(size == 4 ? AF_INET : AF_INET6, ASN1_STRING_get0_data(address), text, sizeof text)
    ? strdup(text) : NULL;
}

static char *key_text(const X509 *certificate) {
  EVP_PKEY *key = X509_get0_pubkey(certificate);
  if (!key) return strdup("unknown");
  int type = EVP_PKEY_get_base_id(key);
  char curve[80] = "", text[120];
  if (is_elliptic(type) && EVP_PKEY_get_group_name(key, curve, sizeof curve, NULL) == 1) {
    const char *nist = EC_curve_nid2nist(OBJ_txt2nid(curve));
    snprintf(text, sizeof text, "EC %s", nist ? nist : curve);
  } else if (type == EVP_PKEY_RSA || type == EVP_PKEY_RSA_PSS) {
    snprintf(text, sizeof text, "RSA %d bits", EVP_PKEY_get_bits(key));
  } else if (type == EVP_PKEY_ED25519 || type == EVP_PKEY_ED448) {
    snprintf(text, sizeof text, "%s", type == EVP_PKEY_ED25519 ? "Ed25519" : "Ed448");
  } else {
    const char *kind = EVP_PKEY_get0_type_name(key);
    snprintf(text, sizeof text, "%s %d bits", kind ? kind : "unknown", EVP_PKEY_get_bits(key));
  }
  return strdup(text);
}

static int64_t seconds(const ASN1_TIME *time) {
  struct tm parts;
  return ASN1_TIME_to_tm(time, &parts) == 1 ? (int64_t)timegm(&parts) : 0;
}

static bool key_digest(const X509 *certificate, uint8_t digest[CTLS_DIGEST_SIZE]) {
  uint8_t *der = NULL;
  int size = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &der);
  bool is_known = size > 0 && EVP_Digest(der, (size_t)size, digest, NULL, EVP_sha256(), NULL) == 1;
  OPENSSL_free(der);
  return is_known;
}

static bool add_names(ctls_description *description, const X509 *certificate) {
  GENERAL_NAMES *names = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
  int count = names ? sk_GENERAL_NAME_num(names) : 0;
  bool is_done = count == 0 || (description->names = calloc((size_t)count, sizeof *description->names));
  for (int i = 0; is_done && i < count; i++) {
    const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, i);
    char *text = NULL;
    if (name->type == GEN_DNS) text = string_text(name->d.dNSName);
    if (name->type == GEN_IPADD) text = address_text(name->d.iPAddress);
    if (text) description->names[description->name_count++] = text;
  }
  GENERAL_NAMES_free(names);
  return is_done;
}

ctls_description *ctls_describe(const uint8_t *der, size_t size) {
  const uint8_t *start = der;
  X509 *certificate = size <= INT32_MAX ? d2i_X509(NULL, &start, (long)size) : NULL;
  ctls_description *description = certificate ? calloc(1, sizeof *description) : NULL;
  bool is_done = description && start == der + size
    && EVP_Digest(der, size, description->fingerprint, NULL, EVP_sha256(), NULL) == 1
    && key_digest(certificate, description->key_fingerprint)
    && (description->subject = name_text(X509_get_subject_name(certificate)))
    && (description->issuer = name_text(X509_get_issuer_name(certificate)))
    && (description->key = key_text(certificate)) && add_names(description, certificate);
  if (is_done) {
    description->valid_from = seconds(X509_get0_notBefore(certificate));
    description->valid_until = seconds(X509_get0_notAfter(certificate));
  }
  X509_free(certificate);
  ERR_clear_error();
  if (is_done) return description;
  ctls_description_free(description);
  return NULL;
}

void ctls_description_free(ctls_description *description) {
  if (!description) return;
  for (size_t i = 0; i < description->name_count; i++) free(description->names[i]);
  free(description->names);
  free(description->subject);
  free(description->issuer);
  free(description->key);
  free(description);
}
