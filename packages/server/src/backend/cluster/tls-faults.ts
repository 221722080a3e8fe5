/** Codes of OpenSSL for certificates that are not trusted, and of Node.js for other faults of TLS. */
const CODES =
  /^(?:UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|CERT_|ERR_TLS_|ERR_SSL_|ERR_OSSL_|HOSTNAME_MISMATCH)/

/** Whether the error, or what has caused it, is about TLS or a certificate. */
export function isTlsFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code = '' } = error as NodeJS.ErrnoException
  return CODES.test(code) || isTlsFault(error.cause)
}
