import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createSecureContext, TLSSocket } from 'node:tls'
import { onTestFinished } from 'vitest'
import type { ServerCertificate } from '../network/certificates.ts'

interface MailServerOptions {
  /** Replies that replace the usual ones, by command prefix; `null` for no reply. */
  readonly replies?: Readonly<Record<string, string | null>>
  readonly certificate?: ServerCertificate
  readonly isTls?: boolean
}

const REPLIES: Readonly<Record<string, string>> = {
  EHLO: '250-mail.example\r\n250 AUTH PLAIN',
  AUTH: '235 Accepted',
  'MAIL FROM': '250 Ok',
  'RCPT TO': '250 Ok',
  DATA: '354 Go on',
  '.': '250 Queued as 1',
  QUIT: '221 Bye',
}

/** A mail server on this machine, with the commands and text that it received. */
export async function openMailServer({
  replies = {},
  certificate,
  isTls = false,
}: MailServerOptions = {}) {
  const lines: string[] = []
  const sockets = new Set<Socket>()
  const offersTls = certificate !== undefined && !isTls
  const usual: Record<string, string | null> = {
    ...replies,
    ...REPLIES,
    ...(offersTls && {
      EHLO: '250-mail.example\r\n250-STARTTLS\r\n250 AUTH PLAIN',
      STARTTLS: '220 Go',
    }),
    ...replies,
  }
  const secured = (socket: Socket): TLSSocket =>
    new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(certificate) })
  const serve = (socket: Socket, greeting = '220 mail.example\r\n'): void => {
    sockets.add(socket)
    let rest = ''
    let isData = false
    socket.on('error', () => undefined)
    if (greeting !== '') socket.write(greeting)
    socket.on('data', (chunk: Buffer) => {
      const found = (rest + chunk.toString()).split('\r\n')
      rest = found.pop()!
      for (const line of found) {
        lines.push(line)
        if (isData && line !== '.') continue
        const name = Object.keys(usual).find((each) => line.startsWith(each))
        const reply = name === undefined ? '500 Unknown' : usual[name]!
        if (reply === null) continue
        isData = line === 'DATA' && reply.startsWith('354')
        socket.write(`${reply}\r\n`)
        if (line === 'STARTTLS' && offersTls) {
          socket.removeAllListeners('data')
          serve(secured(socket), '')
        }
      }
    })
  }
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    serve(isTls ? secured(socket) : socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const url = `${isTls ? 'smtps' : 'smtp'}://localhost:${port}/?to=ops@a.example,b@a.example`
  const accept = (): void => void Object.assign(usual, REPLIES)
  return { url, lines, sockets, accept }
}
