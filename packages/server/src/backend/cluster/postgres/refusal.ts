import { ConnectionRefused } from '../connection-refused.ts'
import { isTlsFault } from '../tls-faults.ts'

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
