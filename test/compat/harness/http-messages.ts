/** A request or a response as on the wire. */
export interface HttpMessage {
  readonly startLine: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** Whether the whole message arrived before the connection ended. */
  readonly isComplete: boolean
}

interface Part {
  readonly body: Buffer
  readonly end: number
  readonly isComplete: boolean
}

const HEAD_END = '\r\n\r\n'
const NO_BODY = /^HTTP\/1\.\d (?:1\d\d|204|304)/

/** The messages in one direction of an HTTP/1 connection, up to the first incomplete one. */
export function httpMessagesIn(bytes: Buffer): HttpMessage[] {
  const messages: HttpMessage[] = []
  let start = 0
  while (start < bytes.length) {
    const headEnd = bytes.indexOf(HEAD_END, start)
    if (headEnd === -1) break
    const [startLine = '', ...lines] = bytes.toString('latin1', start, headEnd).split('\r\n')
    const headers = Object.fromEntries(lines.map(headerIn))
    const { body, end, isComplete } = bodyAt(bytes, headEnd + HEAD_END.length, startLine, headers)
    messages.push({ startLine, headers, body, isComplete })
    if (!isComplete) break
    start = end
  }
  return messages
}

/** The first message, if it is complete. */
export function firstHttpMessageIn(bytes: Buffer): HttpMessage | undefined {
  return httpMessagesIn(bytes).find(({ isComplete }) => isComplete)
}

function headerIn(line: string): [string, string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
}

function bodyAt(
  bytes: Buffer,
  start: number,
  startLine: string,
  headers: Readonly<Record<string, string>>,
): Part {
  if (NO_BODY.test(startLine)) return { body: Buffer.alloc(0), end: start, isComplete: true }
  if (headers['transfer-encoding']?.toLowerCase() === 'chunked') return chunkedAt(bytes, start)
  const end = start + Number(headers['content-length'] ?? 0)
  return { body: bytes.subarray(start, end), end, isComplete: end <= bytes.length }
}

function chunkedAt(bytes: Buffer, start: number): Part {
  const chunks: Buffer[] = []
  let at = start
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd === -1) return { body: Buffer.concat(chunks), end: at, isComplete: false }
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    const chunk = bytes.subarray(lineEnd + 2, lineEnd + 2 + size)
    at = lineEnd + 2 + size + 2
    if (at > bytes.length) return { body: Buffer.concat(chunks), end: at, isComplete: false }
    if (size === 0) return { body: Buffer.concat(chunks), end: at, isComplete: true }
    chunks.push(chunk)
  }
}
