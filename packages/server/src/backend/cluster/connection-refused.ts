import { AuthorizationError, UserAuthenticationExpiredError } from '@nats-io/transport-node'

/** A server of the cluster does not let this node in, however often it tries: its settings are wrong. The message has no secret. */
export class ConnectionRefused extends Error {
  override readonly name = 'ConnectionRefused'
}

/** SQLSTATE (PostgreSQL, appendix A): wrong user or password, no such database, no right to use it. */
const REFUSALS = ['28', '3D', '42501']

/** What the error of a first connection says about the settings; `undefined` where it says nothing about them. */
export function postgresRefusal(error: unknown): ConnectionRefused | undefined {
  if (!(error instanceof Error)) return undefined
  const { code = '' } = error as NodeJS.ErrnoException
  const isOfServer = REFUSALS.some((refusal) => code.startsWith(refusal))
  const isTls = isTlsFault(error) || error.message.includes('does not support SSL')
  if (!isOfServer && !isTls) return undefined
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

/** What the error of a first connection says about the settings; `undefined` where it says nothing about them. */
export function natsRefusal(error: unknown): ConnectionRefused | undefined {
  if (error instanceof AuthorizationError || error instanceof UserAuthenticationExpiredError)
    return new ConnectionRefused(`NATS refuses the connection: ${error.message}. ${CREDENTIALS}`, {
      cause: error,
    })
  if (!(error instanceof Error)) return undefined
  if (!isTlsFault(error) && !/\btls\b/i.test(error.message)) return undefined
  const { message } = error.cause instanceof Error ? error.cause : error
  return new ConnectionRefused(`There is no TLS with NATS: ${message}. ${CERTIFICATES}`, {
    cause: error,
  })
}

/** Codes of OpenSSL for certificates that are not trusted, and of Node.js for other faults of TLS. */
const CODES =
  /^(?:UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|CERT_|ERR_TLS_|ERR_SSL_|ERR_OSSL_|HOSTNAME_MISMATCH)/

/** Whether the error, or what has caused it, is about TLS or a certificate. */
function isTlsFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code = '' } = error as NodeJS.ErrnoException
  return CODES.test(code) || isTlsFault(error.cause)
}
