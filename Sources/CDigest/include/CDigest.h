#pragma once
#include <stddef.h>

// SHA-256 (FIPS 180-4) into 32 bytes; 0 when OpenSSL refuses.
int cdigest_sha256(const void *bytes, size_t count, unsigned char *digest);

// SHA-1 into 20 bytes, for protocols that ask for it and rest nothing on it; 0 when OpenSSL refuses.
int cdigest_sha1(const void *bytes, size_t count, unsigned char *digest);
