import { Failure } from '../failure.ts'

/** Why a port could not be had, with the remedy; `undefined` for an error of another kind. */
export function listenFailure(
  error: unknown,
  { host, port }: { readonly host: string; readonly port: number },
): Failure | undefined {
  const { code, syscall } = error as NodeJS.ErrnoException
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return undefined
  const [message, hint] = wordsFor(code, host, port)
  return new Failure('failed', message, { hint, code: 'cannot_listen', cause: error })
}

function wordsFor(code: string | undefined, host: string, port: number): [string, string] {
  if (code === 'EADDRINUSE') {
    return [
      `Port ${port} of ${host} is in use by another program.`,
      'Stop that one, or choose another port with --port; 0 takes a free one.',
    ]
  }
  if (code === 'EACCES') {
    return [
      `Port ${port} of ${host} is reserved for the administrator of this machine.`,
      'Choose a port from 1024 on with --port.',
    ]
  }
  return [
    `This machine has no address ${host} to listen on (${code}).`,
    'Give --host 127.0.0.1 for this machine only, or 0.0.0.0 for all its addresses.',
  ]
}
