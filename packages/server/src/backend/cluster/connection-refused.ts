import { AuthorizationError, UserAuthenticationExpiredError } from '@nats-io/transport-node'

/** A server of the cluster cannot be used with these settings, so a retry cannot help. The message has no secret. */
export class ConnectionRefused extends Error {
  override readonly name = 'ConnectionRefused'
}

/** SQLSTATE (PostgreSQL, appendix A): wrong user or password, no such database, no permission. */
const REFUSALS = ['28', '3D', '42501']

/** Translates the error of a first connection; `undefined` if the settings did not cause it. */
export function postgresRefusal(error: unknown): ConnectionRefused | undefined {
  if (!(error instanceof Error)) return undefined
  const { code = '' } = error as NodeJS.ErrnoException
  const isTls = isTlsFault(error) || error.message.includes('does not support SSL')
  if (!isTls && !REFUSALS.some((refusal) => code.startsWith(refusal))) return undefined
  const hint = isTls
    ? 'Check sslmode and sslrootcert in HOOKLINE_DATABASE_URL.'
    : 'Check HOOKLINE_DATABASE_URL.'
  return new ConnectionRefused(`PostgreSQL refuses the connection: ${error.message}. ${hint}`, {
    cause: error,
  })
}

const CREDENTIALS =
  'Check user, password or token in HOOKLINE_NATS_URL, HOOKLINE_NATS_CREDS and HOOKLINE_NATS_NKEY_SEED.'
const CERTIFICATES =
  'Check HOOKLINE_NATS_CA_FILE, HOOKLINE_NATS_CERT_FILE and the host names in HOOKLINE_NATS_URL.'

/** Translates the error of a first connection; `undefined` if the settings did not cause it. */
export function natsRefusal(error: unknown): ConnectionRefused | undefined {
  if (error instanceof AuthorizationError || error instanceof UserAuthenticationExpiredError)
    return new ConnectionRefused(`NATS refuses the connection: ${error.message}. ${CREDENTIALS}`, {
      cause: error,
    })
  if (!(error instanceof Error)) return undefined
  if (!isTlsFault(error) && !/\btls\b/i.test(error.message)) return undefined
  const { message } = error.cause instanceof Error ? error.cause : error
  return new ConnectionRefused(`TLS with NATS failed: ${message}. ${CERTIFICATES}`, {
    cause: error,
  })
}

/** OpenSSL codes for untrusted certificates, and Node.js codes for other TLS errors. */
const CODES =
  /^(?:UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|CERT_|ERR_TLS_|ERR_SSL_|ERR_OSSL_|HOSTNAME_MISMATCH)/

/** Whether the error or its cause is about TLS or a certificate. */
function isTlsFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code = '' } = error as NodeJS.ErrnoException
  return CODES.test(code) || isTlsFault(error.cause)
}
