import { Failure } from '../failure.ts'

/** No answer of the service takes longer, unless it is stuck. */
export const DEADLINE_MS = 30_000

/** The failure where no answer came from the service at `base`, because of `cause`. */
export function unreachable(base: URL, cause: unknown): Failure {
  return new Failure('unreachable', `Nothing answers at ${base.href}: ${reasonOf(cause)}.`, {
    cause,
    hint: 'Start the service (`hookline dev`), or say where it is with --url or HOOKLINE_URL.',
  })
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no program listens there',
  ECONNRESET: 'the connection broke',
  ENOTFOUND: 'the host name is not known',
  UND_ERR_SOCKET: 'the connection broke',
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `no answer came within ${DEADLINE_MS / 1000} s`
  const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException
  return REASONS[code ?? ''] ?? message
}
