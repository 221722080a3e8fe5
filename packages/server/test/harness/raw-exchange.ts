import { connect } from 'node:net'

/** An HTTP answer as it came over the wire. */
export interface RawAnswer {
  readonly status: number
  readonly headers: string
  readonly body: string
}

/** Writes bytes to a port, HTTP or not, and gives what came back until the server closed. */
export function rawExchange(port: number, ...parts: readonly (string | Buffer)[]): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    // A reset after the answer is as good an end as any.
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')))
    for (const part of parts) socket.write(part)
  })
}

/** The first answer in what came over the wire. */
export function parseRawAnswer(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [statusLine = '', ...headers] = head.split('\r\n')
  return {
    status: Number(statusLine.split(' ')[1]),
    headers: headers.join('\n').toLowerCase(),
    body: rest.join('\r\n\r\n'),
  }
}

/**
 * Writes bytes to a port and gives the first answer as soon as it is whole, or `undefined` where the
 * server closes without one. An answer that breaks off, or does not say its length, is an error.
 */
export function firstAnswer(port: number, bytes: string | Buffer): Promise<RawAnswer | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.on('data', (chunk) => {
      text = (text + chunk.toString('latin1')).replace('HTTP/1.1 100 Continue\r\n\r\n', '')
      const answer = parseRawAnswer(text)
      const [, length] = /^content-length: (\d+)$/m.exec(answer.headers) ?? []
      if (length === undefined || answer.body.length < Number(length)) return
      socket.destroy()
      resolve({ ...answer, body: answer.body.slice(0, Number(length)) })
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      if (text === '') resolve(undefined)
      else reject(new Error(`The answer breaks off: ${text}`))
    })
    socket.write(bytes)
  })
}
