import { Failure } from '../failure.ts'

export interface Listener {
  readonly host: string
  readonly port: number
  /** The prefix of the flags for this listener. */
  readonly flags?: '--' | '--admin-'
}

export function listenFailure(error: unknown, listener: Listener): Failure | undefined {
  const { code, syscall } = error as NodeJS.ErrnoException
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return undefined
  const [message, hint] = explain(code, listener)
  return new Failure('failed', message, { hint, code: 'cannot_listen', cause: error })
}

function explain(
  code: string | undefined,
  { host, port, flags = '--' }: Listener,
): [string, string] {
  if (code === 'EADDRINUSE') {
    return [
      `Port ${port} on ${host} is in use by another program.`,
      `Stop that program, or choose another port with ${flags}port (0 for any free port).`,
    ]
  }
  if (code === 'EACCES') {
    return [
      `Port ${port} on ${host} requires administrator rights.`,
      `Choose port 1024 or above with ${flags}port.`,
    ]
  }
  if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT' || code === 'ENOTFOUND') {
    const problem =
      code === 'ENOTFOUND' ? 'it has no address' : 'it is not an address of this machine'
    return [
      `Cannot listen on ${host}: ${problem} (${code}).`,
      `Use ${flags}host 127.0.0.1 or ::1 for this machine only, or 0.0.0.0 or :: for all addresses.`,
    ]
  }
  return [
    `Cannot listen on port ${port} on ${host} (${code}).`,
    `Choose another address with ${flags}host and ${flags}port.`,
  ]
}
