/** Raw bytes for one connection, including ones that no HTTP client would send. */
export interface WireCase {
  readonly name: string
  /** Written one after another, each in its own packet. */
  readonly parts: readonly Buffer[]
  /** How the client behaves after the last part. */
  readonly ending: 'waits' | 'ends its side' | 'resets' | 'reads nothing'
}

export interface Keys {
  readonly writeKey: string
  readonly adminToken: string
}

/** Random choices, from uniform numbers in [0, 1). */
class Choices {
  readonly #random: () => number

  constructor(random: () => number) {
    this.#random = random
  }

  below(limit: number): number {
    return Math.floor(this.#random() * limit)
  }

  of<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!
  }

  bytes(max: number): Buffer {
    return Buffer.from(Array.from({ length: 1 + this.below(max) }, () => this.below(256)))
  }
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'CONNECT', 'TRACE']
const STRANGE_METHODS = [
  'get',
  'PRI',
  'M-SEARCH',
  'PURGE',
  'POST\t',
  'X'.repeat(5000),
  '',
  '\0',
  '{}',
]
const TARGETS = [
  '/v1/track',
  '/v1/batch',
  '/api/v1/destinations',
  '/api/v1/events?limit=200',
  '/livez',
  '*',
  '//',
  '/%',
  '/%00/%ff/..%2f..',
  'http://[::1/',
  'http://example.org:99999/v1/track',
  `/${'a/'.repeat(4000)}`,
  `/v1/track?${'a=b&'.repeat(3000)}`,
  '/\u00ff\u00fe',
  '',
]
const VERSIONS = [
  'HTTP/1.1',
  'HTTP/1.0',
  'HTTP/0.9',
  'HTTP/2.0',
  'HTTP/1.10',
  'http/1.1',
  'HTTP/',
  '',
]
const HEADERS = [
  'Content-Length: 5\r\nContent-Length: 50',
  'Content-Length: -1',
  'Content-Length: 99999999999999999999',
  'Content-Length: 5, 5',
  'Content-Length: 0x10',
  'Content-Length: 5\r\nTransfer-Encoding: chunked',
  'Transfer-Encoding: chunked, chunked',
  'Transfer-Encoding: gzip, chunked',
  'Transfer-Encoding: identity',
  'Transfer-Encoding : chunked',
  'Content-Encoding: gzip, br, gzip, deflate',
  'Content-Encoding: \u00ff',
  'Content-Type: \u00ff/\u00ff; charset=utf-7; charset=\0',
  'Expect: 100-continue',
  'Expect: 200-maybe',
  'Connection: Upgrade\r\nUpgrade: websocket',
  'Connection: close, keep-alive, upgrade, te',
  'Host: a\r\nHost: b',
  'Host:',
  ' folded: yes',
  'no colon',
  ': no name',
  'name with space: x',
  'Nul: a\0b',
  'Bare: a\rb',
  `Long: ${'x'.repeat(100_000)}`,
  Array.from({ length: 3000 }, (_, index) => `X-${index}: y`).join('\r\n'),
  'Authorization: Basic ====',
  `Authorization: Bearer ${'\u00e9'.repeat(2000)}`,
  'Range: bytes=0-,-1,99-0',
  'If-Match: "',
  'Cookie: __proto__=1; constructor=2',
]
const CHUNKS = [
  '5\r\nhello\r\n0\r\n\r\n',
  'ffffffffffffffff\r\nhello\r\n0\r\n\r\n',
  'fffffffffffffffffffffff\r\nhello',
  '-5\r\nhello\r\n0\r\n\r\n',
  '5 \r\nhello\r\n0\r\n\r\n',
  '5;a=b;c="\r\nhello\r\n0\r\n\r\n',
  `5;${'x'.repeat(50_000)}\r\nhello\r\n0\r\n\r\n`,
  '5\r\nhelloworld\r\n0\r\n\r\n',
  '5\nhello\n0\n\n',
  '0\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n',
  `0\r\n${'X: y\r\n'.repeat(5000)}\r\n`,
  '1\r\n{\r\n'.repeat(500),
  '0x5\r\nhello\r\n0\r\n\r\n',
  '\r\n\r\n\r\n',
]

/** Generates one case. All kinds are equally likely. */
export function wireCase(keys: Keys, random: () => number): WireCase {
  const choose = new Choices(random)
  const kinds: Readonly<Record<string, () => Buffer>> = {
    'random bytes': () => choose.bytes(3000),
    'request line': () => strangeLine(keys, choose),
    header: () => withHeader(valid(keys, choose), choose.of(HEADERS)),
    chunks: () => chunked(keys, choose),
    'changed bytes': () => changed(valid(keys, choose), choose),
    'several requests': () => several(keys, choose),
    'cut off': () => cut(valid(keys, choose), choose),
  }
  const name = choose.of(Object.keys(kinds))
  const bytes = kinds[name]!()
  const ending = choose.of(['waits', 'ends its side', 'resets', 'reads nothing'] as const)
  return { name, parts: split(bytes, choose), ending }
}

function valid({ writeKey, adminToken }: Keys, choose: Choices): Buffer {
  const call = { type: 'track', event: 'E', userId: 'u1', properties: { n: choose.below(10) } }
  const [line, authorization, body] = choose.of<readonly [string, string, object | undefined]>([
    ['POST /v1/track', `Basic ${btoa(`${writeKey}:`)}`, call],
    ['POST /v1/batch', `Basic ${btoa(`${writeKey}:`)}`, { batch: [call, call] }],
    ['GET /api/v1/destinations', `Bearer ${adminToken}`, undefined],
    ['GET /api/v1/events?limit=3', `Bearer ${adminToken}`, undefined],
    ['POST /api/v1/sources', `Bearer ${adminToken}`, { name: 5 }],
    ['PATCH /api/v1/destinations/dst_1', `Bearer ${adminToken}`, { enabled: 'no' }],
  ])
  const text = body === undefined ? '' : JSON.stringify(body)
  const length =
    text === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n`
  return Buffer.from(
    `${line} HTTP/1.1\r\nHost: h\r\nAuthorization: ${authorization}\r\n${length}\r\n${text}`,
  )
}

function strangeLine(keys: Keys, choose: Choices): Buffer {
  const method = choose.of([...METHODS, ...STRANGE_METHODS])
  const line = [method, choose.of(TARGETS), choose.of(VERSIONS)].join(
    choose.of([' ', ' ', '  ', '\t']),
  )
  const end = choose.of(['\r\n', '\r\n', '\n', '\r', '\r\r\n'])
  const rest = valid(keys, choose).toString('latin1')
  return Buffer.from(line + end + rest.slice(rest.indexOf('\r\n') + 2), 'latin1')
}

function withHeader(request: Buffer, header: string): Buffer {
  const end = request.indexOf('\r\n') + 2
  const line = Buffer.from(`${header}\r\n`, 'latin1')
  return Buffer.concat([request.subarray(0, end), line, request.subarray(end)])
}

function chunked({ writeKey }: Keys, choose: Choices): Buffer {
  const head = `POST /v1/track HTTP/1.1\r\nHost: h\r\nAuthorization: Basic ${btoa(`${writeKey}:`)}\r\n`
  const type = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
  return Buffer.from(head + type + choose.of(CHUNKS) + choose.of(['', choose.of(CHUNKS)]), 'latin1')
}

/** Up to five changes: a bit flipped, bytes inserted, removed or repeated. */
function changed(request: Buffer, choose: Choices): Buffer {
  let bytes = request
  for (let changes = 1 + choose.below(5); changes > 0; changes--) {
    const [at, length] = [choose.below(bytes.length), 1 + choose.below(20)]
    const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)]
    bytes = choose.of([
      () =>
        Buffer.concat([
          before,
          Buffer.from([(after[0] ?? 0) ^ (1 << choose.below(8))]),
          after.subarray(1),
        ]),
      () => Buffer.concat([before, choose.bytes(20), after]),
      () => Buffer.concat([before, after.subarray(length)]),
      () => Buffer.concat([before, after.subarray(0, length), after]),
    ])()
  }
  return bytes
}

function several(keys: Keys, choose: Choices): Buffer {
  const requests = Array.from({ length: 2 + choose.below(40) }, () => valid(keys, choose))
  if (choose.below(2) === 0)
    requests[choose.below(requests.length)] = changed(valid(keys, choose), choose)
  return Buffer.concat(requests)
}

function cut(request: Buffer, choose: Choices): Buffer {
  return request.subarray(0, 1 + choose.below(request.length - 1))
}

function split(bytes: Buffer, choose: Choices): Buffer[] {
  const parts: Buffer[] = []
  const max = choose.of([bytes.length, bytes.length, 100, 1000])
  for (let at = 0; at < bytes.length && parts.length < 200;) {
    const end = parts.length === 199 ? bytes.length : at + 1 + choose.below(max)
    parts.push(bytes.subarray(at, end))
    at = end
  }
  return parts
}
