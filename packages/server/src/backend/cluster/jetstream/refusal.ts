import { AuthorizationError, UserAuthenticationExpiredError } from '@nats-io/transport-node'
import { ConnectionRefused } from '../connection-refused.ts'
import { isTlsFault } from '../tls-faults.ts'

const CREDENTIALS =
  'Check user, password or token in HOOKLINE_NATS_URL, HOOKLINE_NATS_CREDS and HOOKLINE_NATS_NKEY_SEED.'
const CERTIFICATES =
  'Check HOOKLINE_NATS_CA_FILE, HOOKLINE_NATS_CERT_FILE and the host names in HOOKLINE_NATS_URL.'

/** What the error of a first connection says about the settings; `undefined` where it says nothing about them. */
export function natsRefusal(error: unknown): ConnectionRefused | undefined {
  if (isOfCredentials(error))
    return new ConnectionRefused(`NATS refuses the connection: ${error.message}. ${CREDENTIALS}`, {
      cause: error,
    })
  if (!(error instanceof Error) || !isOfTls(error)) return undefined
  const { message } = error.cause instanceof Error ? error.cause : error
  return new ConnectionRefused(`There is no TLS with NATS: ${message}. ${CERTIFICATES}`, {
    cause: error,
  })
}

function isOfCredentials(error: unknown): error is Error {
  return error instanceof AuthorizationError || error instanceof UserAuthenticationExpiredError
}

function isOfTls(error: Error): boolean {
  return isTlsFault(error) || /\btls\b/i.test(error.message)
}
