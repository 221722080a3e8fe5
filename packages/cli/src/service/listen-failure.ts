import { Failure } from '../failure.ts'

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
      `Port ${port} on ${host} is in use by another program.`,
      'Stop that program, or choose another port with --port (0 for any free port).',
    ]
  }
  if (code === 'EACCES') {
    return [
      `Port ${port} on ${host} requires administrator rights.`,
      'Choose port 1024 or above with --port.',
    ]
  }
  if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT' || code === 'ENOTFOUND') {
    return [
      `Cannot listen on ${host}: this machine does not have that address (${code}).`,
      'Use --host 127.0.0.1 or ::1 for this machine only, or 0.0.0.0 or :: for all addresses.',
    ]
  }
  return [
    `Cannot listen on port ${port} on ${host} (${code}).`,
    'Choose another address with --host and --port.',
  ]
}
