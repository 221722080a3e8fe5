import { AuthorizationError, UserAuthenticationExpiredError } from '@nats-io/transport-node'

/** A server of the cluster cannot be used with these settings, so a retry cannot help. The message contains no secrets. */
export class UnusableServerError extends Error {
  override readonly name = 'UnusableServerError'
}

/** SQLSTATE (PostgreSQL, appendix A): wrong user or password, no such database, no permission. */
const WRONG_SETTINGS = ['28', '3D', '42501']

/** Translates the error from a first connection; `undefined` if the settings did not cause it. */
export function unusablePostgresError(error: unknown): UnusableServerError | undefined {
  if (!(error instanceof Error)) return undefined
  const { code = '' } = error as NodeJS.ErrnoException
  const isTls = isTlsError(error) || error.message.includes('does not support SSL')
  if (!isTls && !WRONG_SETTINGS.some((state) => code.startsWith(state))) return undefined
  const hint = isTls
    ? 'Check sslmode and sslrootcert in HOOKLINE_DATABASE_URL.'
    : 'Check HOOKLINE_DATABASE_URL.'
  return new UnusableServerError(`PostgreSQL refused the connection: ${error.message}. ${hint}`, {
    cause: error,
  })
}

const NATS_CREDENTIALS =
  'the user, password or token in HOOKLINE_NATS_URL, or HOOKLINE_NATS_CREDS and HOOKLINE_NATS_NKEY_SEED'
const NATS_TLS =
  'HOOKLINE_NATS_CA_FILE, HOOKLINE_NATS_CERT_FILE and the host names in HOOKLINE_NATS_URL'

export function unusableNatsError(error: unknown): UnusableServerError | undefined {
  if (!(error instanceof Error)) return undefined
  const refused = (text: string) => new UnusableServerError(text, { cause: error })
  if (error instanceof AuthorizationError || error instanceof UserAuthenticationExpiredError)
    return refused(`NATS refused the connection: ${error.message}. Check ${NATS_CREDENTIALS}.`)
  if (!isTlsError(error) && !/\btls\b/i.test(error.message)) return undefined
  const { message } = error.cause instanceof Error ? error.cause : error
  return refused(`TLS with NATS failed: ${message}. Check ${NATS_TLS}.`)
}

/** Codes of OpenSSL and Node.js: the certificate or the TLS connection was not accepted. */
const TLS_CODES =
  /^(?:UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|CERT_|ERR_TLS_|ERR_SSL_|ERR_OSSL_|HOSTNAME_MISMATCH)/

function isTlsError(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code = '' } = error as NodeJS.ErrnoException
  return TLS_CODES.test(code) || isTlsError(error.cause)
}
