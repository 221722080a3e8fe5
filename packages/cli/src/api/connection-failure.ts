import { Failure } from '../failure.ts'

export const DEADLINE_MS = 30_000

export function unreachableFailure(base: URL, cause: unknown): Failure {
  return new Failure(
    'unreachable',
    `Cannot reach the service at ${base.href}: ${reasonOf(cause)}.`,
    {
      cause,
      hint: 'Start a service with `hookline dev` or `hookline start`, or pass its address with --url or HOOKLINE_URL.',
    },
  )
}

export function notHookline(status: number): Failure {
  const message = `Unexpected response with status ${status}.`
  return new Failure('failed', message, {
    code: 'not_hookline',
    hint: 'Check --url or HOOKLINE_URL: use the address that `hookline start` prints. If there is a proxy in front of the service, check that the service is running.',
  })
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was closed',
  ENOTFOUND: 'the host name cannot be resolved',
  UND_ERR_SOCKET: 'the connection was closed',
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `no response within ${DEADLINE_MS / 1000} s`
  const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException
  return REASONS[code ?? ''] ?? message
}
