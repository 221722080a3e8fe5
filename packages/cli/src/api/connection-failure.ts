import { Failure } from '../failure.ts'

/** The deadline of one request to the service. */
export const DEADLINE_MS = 30_000

/** The failure of a request to `base` that got no response because of `cause`. */
export function unreachable(base: URL, cause: unknown): Failure {
  return new Failure(
    'unreachable',
    `Cannot reach the service at ${base.href}: ${reasonOf(cause)}.`,
    {
      cause,
      hint: 'Start a service with `hookline start`, or `hookline dev` to try it out; or give the address of yours with --url or HOOKLINE_URL.',
    },
  )
}

/** The failure for a response that does not come from Hookline. */
export function notHookline(status: number): Failure {
  const message = `The server at this address is not Hookline. It responded with status ${status}.`
  return new Failure('failed', message, {
    code: 'foreign_answer',
    hint: 'Check --url or HOOKLINE_URL: give the address that `hookline start` prints, without a path.',
  })
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no program listens on this port',
  ECONNRESET: 'the connection was closed',
  ENOTFOUND: 'the host name is unknown',
  UND_ERR_SOCKET: 'the connection was closed',
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `no response within ${DEADLINE_MS / 1000} s`
  const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException
  return REASONS[code ?? ''] ?? message
}
