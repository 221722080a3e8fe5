import { Failure } from '../failure.ts'

/** The failure for an error of listening on a port; `undefined` for another kind of error. */
export function listenFailure(
  error: unknown,
  { host, port }: { readonly host: string; readonly port: number },
): Failure | undefined {
  const { code, syscall } = error as NodeJS.ErrnoException
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return undefined
  const [message, hint] = explain(code, host, port)
  return new Failure('failed', message, { hint, code: 'cannot_listen', cause: error })
}

function explain(code: string | undefined, host: string, port: number): [string, string] {
  if (code === 'EADDRINUSE') {
    return [
      `Port ${port} of ${host} is in use by another program.`,
      'Stop that program, or choose another port with --port. Port 0 takes a free one.',
    ]
  }
  if (code === 'EACCES') {
    return [
      `Port ${port} of ${host} is reserved for the administrator of this machine.`,
      'Choose a port of 1024 or above with --port.',
    ]
  }
  if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT' || code === 'ENOTFOUND') {
    return [
      `Cannot listen on ${host}: this machine does not have that address (${code}).`,
      'Give --host 127.0.0.1 or ::1 for this machine only, or 0.0.0.0 or :: for all its addresses.',
    ]
  }
  return [
    `Cannot listen on port ${port} of ${host} (${code}).`,
    'Look up the code of the operating system. --host and --port choose another address.',
  ]
}
