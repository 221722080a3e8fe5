import { connect } from 'node:net'

export interface RawResponse {
  readonly status: number
  readonly headers: string
  readonly body: string
}

/** Writes bytes to a port, whether HTTP or not, and returns all bytes that the server sends until it closes. */
export function rawExchange(port: number, ...parts: readonly (string | Buffer)[]): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    // A reset after the response is a valid end.
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')))
    for (const part of parts) socket.write(part)
  })
}

export function parseRawResponse(text: string): RawResponse {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [statusLine = '', ...headers] = head.split('\r\n')
  return {
    status: Number(statusLine.split(' ')[1]),
    headers: headers.join('\n').toLowerCase(),
    body: rest.join('\r\n\r\n'),
  }
}

/**
 * Writes bytes to a port. Returns the first complete response, or `undefined` if the server closes without one.
 * Rejects if the response is incomplete or has no length.
 */
export function firstResponse(
  port: number,
  bytes: string | Buffer,
): Promise<RawResponse | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.on('data', (chunk) => {
      text = (text + chunk.toString('latin1')).replace('HTTP/1.1 100 Continue\r\n\r\n', '')
      const response = parseRawResponse(text)
      const [, length] = /^content-length: (\d+)$/m.exec(response.headers) ?? []
      if (length === undefined || response.body.length < Number(length)) return
      socket.destroy()
      resolve({ ...response, body: response.body.slice(0, Number(length)) })
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      if (text === '') resolve(undefined)
      else reject(new Error(`The response is incomplete: ${text}`))
    })
    socket.write(bytes)
  })
}
