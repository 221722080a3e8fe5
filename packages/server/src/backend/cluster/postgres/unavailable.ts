import { BackendUnavailableError, UnstorableTextError } from '../../backend.ts'

/** SQLSTATE classes of temporary failures: connections, resources, operator intervention. */
const TRANSIENT_CLASSES = ['08', '53', '57']
/** Idle timeout, read-only after a failover, serialization failure, deadlock, lock timeout. */
const TRANSIENT_CODES = new Set(['25P03', '25006', '40001', '40P01', '55P03'])
const SOCKET_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])
/** Errors of `pg` without a code. */
const MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error/

/** Whether the failed statement had no effect and may be repeated. */
export function isConflict(error: unknown): boolean {
  const code = codeOf(error)
  return code === '40001' || code === '40P01' || isOutdatedPlan(error)
}

/** A newer node has added a column to the result of a prepared statement. */
export function isOutdatedPlan(error: unknown): boolean {
  return (
    codeOf(error) === '0A000' &&
    (error as Error).message === 'cached plan must not change result type'
  )
}

/** A parameter contains U+0000. User ids are escaped; other ids never contain it. */
const UNSTORABLE = '22021'

/** `BackendUnavailableError` for temporary failures, `UnstorableTextError` for U+0000, otherwise the error itself, which is a bug. */
export function asBackendError(error: unknown): unknown {
  if (codeOf(error) === UNSTORABLE)
    return new UnstorableTextError('Strings must not contain U+0000.', { cause: error })
  if (error instanceof BackendUnavailableError || !isTransient(error)) return error
  return new BackendUnavailableError(`PostgreSQL is unavailable: ${(error as Error).message}`, {
    cause: error,
  })
}

function isTransient(error: unknown): boolean {
  const code = codeOf(error)
  if (code === undefined) return error instanceof Error && MESSAGES.test(error.message)
  return (
    SOCKET_CODES.has(code) ||
    TRANSIENT_CODES.has(code) ||
    (code.length === 5 && TRANSIENT_CLASSES.includes(code.slice(0, 2)))
  )
}

function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : undefined
}

/** Ignores `BackendUnavailableError`. */
export async function unlessUnavailable(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!(error instanceof BackendUnavailableError)) throw error
  }
}
