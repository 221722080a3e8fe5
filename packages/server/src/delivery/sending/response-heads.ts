import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'

const KEPT_BYTES = 16 * 1024
const NONE: Buffer = Buffer.alloc(0)
/** Enough to recognise an interim head: `HTTP/1.1 100 `. */
const STATUS_BYTES = 13
const INTERIM = /^HTTP\/1\.[01] 1\d\d[ \r\n]/
const STATUS_LINE = /^HTTP\/1\.[01] ([2-5]\d\d)(?: [^\n]*)?$/

export interface SalvagedResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/**
 * Reads all response heads on a socket before undici does: undici refuses a whole response for one bad header, and for an
 * unrequested `100 Continue`. Its states, for each response:
 *
 *     head ─ its end, 16 KiB, or something that is not HTTP ─▶ passing
 *      │ ▲
 *      └─┘ an interim head (1xx) or a blank line before a head, hidden from undici (RFC 9110 §15.2)
 *
 * In the state `head`, undici gets nothing, so that the whole head is available if undici refuses it.
 */
export class ResponseHeads {
  #head: Buffer = NONE
  #isPassing = false
  #hasInterim = false
  /** The size of the interim heads, and of the blank lines before heads. */
  #skippedBytes = 0
  /** The head does not end before this offset. */
  #lookedUntil = 0
  #begun = 0

  constructor(socket: Socket) {
    const read = socket.read.bind(socket)
    socket.read = (size?: number): Buffer | null => {
      const chunk = read(size) as Buffer | null
      return chunk === null || this.#isPassing ? chunk : this.#take(chunk)
    }
  }

  begin(): void {
    this.#begun++
    // Bytes before the first request belong to its response: some receivers respond on connection.
    if (this.#begun === 1) return
    this.#head = NONE
    this.#isPassing = false
    this.#hasInterim = false
    this.#skippedBytes = 0
    this.#lookedUntil = 0
  }

  /** undici has read the head, so an idle socket need not store it. */
  forget(): void {
    this.#head = NONE
  }

  get isUsed(): boolean {
    return this.#begun > 0
  }

  /** No response to a request on a reused socket: the receiver closed the idle socket. */
  get isStale(): boolean {
    return this.#begun > 1 && this.#head.length === 0 && !this.#hasInterim
  }

  get isInterim(): boolean {
    return this.#hasInterim && this.#head.length === 0
  }

  /** The response that undici refused, or whose head is incomplete; `undefined` without a readable final status. */
  salvaged(): SalvagedResponse | undefined {
    const end = endOfHead(this.#head)
    const text = this.#head.toString('latin1', 0, end === -1 ? undefined : end)
    const [first = '', ...lines] = text.split(/\r?\n/)
    if (end === -1) lines.pop()
    const status = STATUS_LINE.exec(first)?.[1]
    if (status === undefined) return undefined
    const body = end === -1 ? NONE : this.#head.subarray(end)
    return { status: Number(status), headers: headersIn(lines), body }
  }

  /** Returns the bytes that undici may read now. */
  #take(chunk: Buffer): Buffer | null {
    let bytes = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk])
    for (;;) {
      bytes = this.#withoutBlankLines(bytes)
      const end = isHttp(bytes) ? endOfHead(bytes, this.#lookedUntil) : 0
      if (end === -1 && this.#skippedBytes + bytes.length <= KEPT_BYTES) {
        this.#head = bytes
        // The end of a head is at most three bytes. Searching from the start each time would take seconds for a head sent byte by byte.
        this.#lookedUntil = Math.max(0, bytes.length - 2)
        return null
      }
      const isInterim = end > 0 && INTERIM.test(bytes.toString('latin1', 0, STATUS_BYTES))
      if (!isInterim || this.#skippedBytes + end > KEPT_BYTES) return this.#pass(bytes)
      this.#hasInterim = true
      this.#skippedBytes += end
      this.#lookedUntil = 0
      bytes = bytes.subarray(end)
    }
  }

  /** Some receivers write a blank line after a body, as some clients do (RFC 9112 §2.2). */
  #withoutBlankLines(bytes: Buffer): Buffer {
    const limit = KEPT_BYTES - this.#skippedBytes
    let blank = 0
    while (blank < limit && (bytes[blank] === CR || bytes[blank] === LF)) blank++
    this.#skippedBytes += blank
    return blank === 0 ? bytes : bytes.subarray(blank)
  }

  #pass(bytes: Buffer): Buffer {
    this.#isPassing = true
    this.#head = bytes.subarray(0, KEPT_BYTES)
    return bytes
  }
}

const START = Buffer.from('HTTP/1.')

function isHttp(bytes: Buffer): boolean {
  const length = Math.min(bytes.length, START.length)
  return bytes.compare(START, 0, length, 0, length) === 0
}

/** Offset of the body, or -1 if the head is incomplete. Lines may end with LF alone (RFC 9112 §2.2). */
function endOfHead(bytes: Buffer, from = 0): number {
  let at = from - 1
  while ((at = bytes.indexOf('\n', at + 1)) !== -1) {
    if (bytes[at + 1] === LF) return at + 2
    if (bytes[at + 1] === CR && bytes[at + 2] === LF) return at + 3
  }
  return -1
}

const CR = 13
const LF = 10

/** The readable headers: the first of each name, with folded lines joined. */
function headersIn(lines: readonly string[]): IncomingHttpHeaders {
  const headers = new Map<string, string>()
  let last = ''
  for (const line of lines) {
    const [, name, value = ''] = /^([^\s:]+)[ \t]*:(.*)$/.exec(line) ?? []
    if (name !== undefined && !headers.has((last = name.toLowerCase())))
      headers.set(last, value.trim())
    else if (/^[ \t]/.test(line) && headers.has(last))
      headers.set(last, `${headers.get(last)} ${line.trim()}`.trim())
  }
  return Object.fromEntries(headers)
}
