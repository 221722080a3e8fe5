import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import ipaddr from 'ipaddr.js'

export interface DnsQuery {
  readonly name: string
  /** Queries of other types get an empty answer. */
  readonly type: 'A' | 'AAAA'
}

/**
 * Addresses with their TTL in seconds (the server sends addresses of the requested family), no such name, a failure, or
 * no response.
 */
export type DnsResponse =
  | { readonly addresses: readonly string[]; readonly ttl?: number }
  | 'no such name'
  | 'failure'
  | 'silence'

const RESPONSE_CODES = { failure: 2, 'no such name': 3 } as const
const TYPES = new Map([
  [1, 'A'],
  [28, 'AAAA'],
] as const)

/** A name server on a UDP port of loopback, which responds with the result of `answer` and records the queries. */
export class DnsServer implements AsyncDisposable {
  readonly questions: DnsQuery[] = []
  /** Can be replaced at any time. */
  answer: (question: DnsQuery) => DnsResponse
  readonly #socket: Socket

  private constructor(socket: Socket, answer: (question: DnsQuery) => DnsResponse) {
    this.#socket = socket
    this.answer = answer
    socket.on('message', (message, from) => {
      const response = this.#respond(message)
      if (response !== undefined) socket.send(response, from.port, from.address)
    })
  }

  static async open(answer: (question: DnsQuery) => DnsResponse): Promise<DnsServer> {
    const socket = createSocket('udp4')
    socket.bind(0, '127.0.0.1')
    await once(socket, 'listening')
    return new DnsServer(socket, answer)
  }

  /** `address:port`, as resolvers expect it. */
  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.close()
    await once(this.#socket, 'close')
  }

  #respond(message: Buffer): Buffer | undefined {
    const { name, end } = readName(message)
    const type = TYPES.get(message.readUInt16BE(end) as 1 | 28)
    const question = message.subarray(12, end + 4)
    if (type === undefined) return reply(message, question, 0, [])
    this.questions.push({ name, type })
    const answer = this.answer({ name, type })
    if (answer === 'silence') return undefined
    if (typeof answer === 'string') return reply(message, question, RESPONSE_CODES[answer], [])
    const family = type === 'A' ? 'ipv4' : 'ipv6'
    const addresses = answer.addresses.map((text) => ipaddr.parse(text))
    const records = addresses
      .filter((address) => address.kind() === family)
      .map((address) => record(type, address.toByteArray(), answer.ttl ?? 60))
    return reply(message, question, 0, records)
  }
}

/** The name in the question, which follows the 12 bytes of the header (RFC 1035 §4.1). */
function readName(message: Buffer): { name: string; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = message[at]!; length > 0; length = message[at]!) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 }
}

function reply(query: Buffer, question: Buffer, code: number, records: Buffer[]): Buffer {
  const header = Buffer.alloc(12)
  query.copy(header, 0, 0, 2)
  // Response, authoritative, recursion desired and available.
  header.writeUInt16BE(0x8580 | code, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(records.length, 6)
  return Buffer.concat([header, question, ...records])
}

function record(type: 'A' | 'AAAA', address: number[], ttl: number): Buffer {
  const head = Buffer.alloc(12)
  // The name is a pointer to the name in the question.
  head.writeUInt16BE(0xc00c, 0)
  head.writeUInt16BE(type === 'A' ? 1 : 28, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt32BE(ttl, 6)
  head.writeUInt16BE(address.length, 10)
  return Buffer.concat([head, Buffer.from(address)])
}
