#include "CDigest.h"
#include <openssl/evp.h>

int cdigest_sha256(const void *bytes, size_t count, unsigned char *digest) {
  return EVP_Digest(bytes, count, digest, NULL, EVP_sha256(), NULL);
}

int cdigest_sha1(const void *bytes, size_t count, unsigned char *digest) {
  return EVP_Digest(bytes, count, digest, NULL, EVP_sha1(), NULL);
}
