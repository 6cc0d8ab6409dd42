#pragma once
#include <curl/curl.h>

// Swift cannot call variadic C functions: one wrapper for each type of argument that libcurl's take.

static inline CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_size(CURL *easy, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_bytes(CURL *easy, CURLoption option, const void *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(easy, option, value);
}

// Both of CURLOPT_WRITEFUNCTION and CURLOPT_HEADERFUNCTION.
typedef size_t (*ccurl_receive)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode ccurl_set_receive(CURL *easy, CURLoption option, ccurl_receive value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_ssl_context(CURL *easy, curl_ssl_ctx_callback value) {
  return curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, value);
}

static inline CURLcode ccurl_set_before_request(CURL *easy, curl_prereq_callback value) {
  return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, value);
}

static inline CURLcode ccurl_set_progress(CURL *easy, curl_xferinfo_callback value) {
  return curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, value);
}

// Whether the connection stands, and the request may be sent.
static inline int ccurl_is_connected(CURL *easy) {
  curl_off_t microseconds = 0;
  return curl_easy_getinfo(easy, CURLINFO_PRETRANSFER_TIME_T, &microseconds) == CURLE_OK && microseconds > 0;
}

// Such as `OpenSSL/3.0.19`; NULL without TLS.
static inline const char *ccurl_tls_library(void) { return curl_version_info(CURLVERSION_NOW)->ssl_version; }

// The SSL of the connection in use; NULL without one.
static inline void *ccurl_get_ssl(CURL *easy) {
  struct curl_tlssessioninfo *session = NULL;
  if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || !session) return NULL;
  return session->backend == CURLSSLBACKEND_OPENSSL ? session->internals : NULL;
}

// Sockets that no child process inherits: one that lives on would keep a connection open that was closed here.
CURLcode ccurl_keep_sockets_private(CURL *easy);

static inline CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value) {
  return curl_easy_getinfo(easy, info, value);
}

// The socket of the connection that CURLOPT_CONNECT_ONLY made; CURL_SOCKET_BAD without one.
static inline curl_socket_t ccurl_get_socket(CURL *easy) {
  curl_socket_t found = CURL_SOCKET_BAD;
  return curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &found) == CURLE_OK ? found : CURL_SOCKET_BAD;
}

// A finished transfer's result; the message itself holds a union that Swift reads clumsily.
static inline CURLcode ccurl_message_result(const CURLMsg *message) { return message->data.result; }
