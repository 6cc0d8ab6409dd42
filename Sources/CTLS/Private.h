#pragma once
#include "CTLS.h"
#include <openssl/x509.h>

// Unfit to be pinned: RSA and DSA below 2048 bits, elliptic curves below 224, and what cannot be read.
bool ctls_has_weak_key(const X509 *certificate);
bool ctls_has_weak_signature(const X509 *certificate);
