#pragma once
#include <stddef.h>

// SHA-256 (FIPS 180-4) into 32 bytes; 0 when OpenSSL refuses.
int cdigest_sha256(const void *bytes, size_t count, unsigned char *digest);
