import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { RawReceiver, type RawAnswer } from './raw-receiver.ts'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { openSender, requestTo } from '@hookline/testing/engine/open-sender'
import { TestEngine } from '@hookline/testing/engine/test-engine'

const OK = 'HTTP/1.1 200 OK\r\n'
const BODY = 'Content-Length: 2\r\n\r\nok'
const CHUNKED = 'Transfer-Encoding: chunked\r\n\r\n'
const withStatus = (status: string): string => `HTTP/1.1 ${status} x\r\n${BODY}`
const interim = (status: string): string => `HTTP/1.1 ${status} x\r\n\r\n`

/** Bytes that are not a response, or not a final one. */
const UNREADABLE: Readonly<Record<string, string | Buffer>> = {
  'status 000': withStatus('000'),
  'status 000 without a body': interim('000'),
  'status 000, chunked': `HTTP/1.1 000 x\r\n${CHUNKED}2\r\nok\r\n0\r\n\r\n`,
  'status 000, then a 200': `${interim('000')}${withStatus('200')}`,
  'status 000 of HTTP/1.0': 'HTTP/1.0 000 x\r\n\r\nuntil the end',
  'status 001': withStatus('001'),
  'status 099': withStatus('099'),
  'status 1000': withStatus('1000'),
  'a status of two digits': withStatus('20'),
  'a non-numeric status': withStatus('abc'),
  'no status': withStatus(''),
  'a negative status': withStatus('-1'),
  'an unsolicited 100': interim('100'),
  '101 without an upgrade': interim('101'),
  '101 with a body': withStatus('101'),
  '101 to another protocol': 'HTTP/1.1 101 x\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
  '102 with a body': withStatus('102'),
  '103, chunked': `HTTP/1.1 103 x\r\n${CHUNKED}2\r\nok\r\n0\r\n\r\n`,
  'status 600': withStatus('600'),
  'status 999': withStatus('999'),
  'TLS on a plain port': Buffer.from('160303007a020000760303', 'hex'),
  'another protocol': 'SSH-2.0-OpenSSH_9.9\r\n',
  'NUL bytes': Buffer.alloc(5000),
}

/** Heads with a readable status and other lines that are not. `Retry-After` is readable. */
const BROKEN_HEADS: Readonly<Record<string, string>> = {
  'two lengths': `Content-Length: 1\r\n${BODY}`,
  'the same length twice': `Content-Length: 2\r\n${BODY}`,
  'the same length twice in one header': 'Content-Length: 2, 2\r\n\r\nok',
  'a length and chunks': `Content-Length: 5\r\n${CHUNKED}0\r\n\r\n`,
  'a negative length': 'Content-Length: -1\r\n\r\n',
  'an overflowing length': `Content-Length: ${'9'.repeat(40)}\r\n\r\n`,
  'a non-numeric length': 'Content-Length: two\r\n\r\nok',
  'an empty length': 'Content-Length:\r\n\r\nok',
  'a header without a colon': `no colon\r\n${BODY}`,
  'a header without a name': `: x\r\n${BODY}`,
  'a space before the colon': `X : y\r\n${BODY}`,
  'NUL in a header': `X: a\0b\r\n${BODY}`,
  'CR in a header': `X: a\rb\r\n${BODY}`,
  'a folded header': `X: a\r\n  b\r\n${BODY}`,
  'a name with invalid characters': `X\xe9(): a\r\n${BODY}`,
  'headers of 20 KB': `X: ${'x'.repeat(20_000)}\r\n${BODY}`,
  'an unsolicited upgrade': `Connection: upgrade\r\nUpgrade: x\r\n${BODY}`,
  'two codings': `Transfer-Encoding: chunked\r\n${CHUNKED}0\r\n\r\n`,
}

/** Responses that are broken after the status. The status decides, because the receiver may have acted on it. */
const BROKEN_BEHIND_STATUS: Readonly<Record<string, string>> = {
  'two responses': `${withStatus('500')}${withStatus('200')}`,
  'a thousand responses': withStatus('500').repeat(1000),
  'a chunk without a size': `HTTP/1.1 500 x\r\n${CHUNKED}zz\r\nok\r\n`,
  'a chunk with an overflowing size': `HTTP/1.1 500 x\r\n${CHUNKED}${'f'.repeat(20)}\r\nok\r\n`,
  'a body longer than its Content-Length': 'HTTP/1.1 500 x\r\nContent-Length: 2\r\n\r\nlonger',
  'an unknown coding': 'HTTP/1.1 500 x\r\nTransfer-Encoding: x\r\n\r\nok',
  'endless trailers': `HTTP/1.1 500 x\r\n${CHUNKED}0\r\n${'X: y\r\n'.repeat(5000)}`,
}

async function opened(answer: RawAnswer): Promise<RawReceiver> {
  const receiver = await RawReceiver.open(answer)
  onTestFinished(() => receiver[Symbol.asyncDispose]())
  return receiver
}

describe.each(['after the request', 'before the request'])('a response %s', (when) => {
  const waits = when === 'after the request'

  test.each(Object.entries(UNREADABLE))(
    'with %s is retried as a protocol error',
    async (...[, bytes]) => {
      const receiver = await opened({ bytes, waits, after: 'end' })
      const sender = openSender()
      for (let attempt = 1; attempt <= 2; attempt++) {
        const result = await sender.send(requestTo(receiver.url, { attempt }))
        expect(result).toMatchObject({ outcome: 'retry', class: 'protocol_error' })
        expect(result.error).toMatch(/\.$/)
      }
    },
  )

  test.each(Object.entries(BROKEN_BEHIND_STATUS))(
    'with %s after a 500 is retried as a 500',
    async (...[, bytes]) => {
      const receiver = await opened({ bytes, waits, after: 'end' })
      const result = await openSender().send(requestTo(receiver.url))
      expect(result).toMatchObject({ outcome: 'retry', class: 'http_5xx', status: 500 })
    },
  )
})

describe.each([
  ['in one piece', (head: string) => [head]],
  [
    'byte by byte at its beginning',
    (head: string) => [...head.slice(0, 60).split(''), head.slice(60)],
  ],
  ['line by line', (head: string) => head.split(/(?<=\n)/)],
] as const)('the status decides regardless of errors in a head sent %s', (_name, piecesOf) => {
  test.each(Object.entries(BROKEN_HEADS))('with %s', async (...[, head]) => {
    const receiver = await opened({ bytes: '' })
    const sender = openSender()
    const resultOf = (status: string): ReturnType<typeof sender.send> => {
      const bytes = piecesOf(`HTTP/1.1 ${status}\r\nRetry-After: 7\r\n${head}`)
      receiver.answer = { bytes: bytes.map((each) => Buffer.from(each, 'latin1')), after: 'end' }
      return sender.send(requestTo(receiver.url))
    }
    expect(await resultOf('200 OK')).toMatchObject({ outcome: 'delivered', status: 200 })
    expect(await resultOf('204 No Content')).toMatchObject({ outcome: 'delivered', status: 204 })
    expect(await resultOf('410')).toMatchObject({ outcome: 'rejected', status: 410 })
    const later = await resultOf('503 Service Unavailable')
    expect(later).toMatchObject({ outcome: 'retry', class: 'http_5xx', retryAfterMs: 7_000 })
    expect(later.headers).toMatchObject({ 'retry-after': '7' })
  })
})

test('the readable headers and the body after a broken head are shown', async () => {
  const head =
    'Server: a\r\n b\r\nServer: c\r\n__proto__: x\r\nLocation: /there?key=1\r\n: \r\n\r\nGone'
  const receiver = await opened({ bytes: `HTTP/1.1 308 Moved\r\n${head}`, after: 'end' })
  expect(await openSender().send(requestTo(receiver.url))).toMatchObject({
    class: 'redirect',
    headers: { server: 'a b', location: new URL('/there', receiver.url).href },
    body: 'Gone',
  })
})

describe.each(['100', '101', '102', '103', '199'])('an interim response %s', (status) => {
  const interims = `${interim(status)}${`HTTP/1.1 ${status} x\r\nLink: </a>\r\n\r\n`.repeat(20)}`

  test.each([
    ['in one piece', (bytes: string) => [bytes]],
    ['line by line', (bytes: string) => bytes.split(/(?<=\n)/)],
    ['one response at a time', (bytes: string) => bytes.split(/(?<=\r\n\r\n)/)],
  ] as const)('is skipped, and the final one decides, if sent %s', async (_name, piecesOf) => {
    const sender = openSender()
    for (const [final, outcome] of [
      [`${OK}${BODY}`, 'delivered'],
      [`HTTP/1.1 503 x\r\n${BODY}`, 'retry'],
      [`${OK}Content-Length: 40000\r\n\r\n${'x'.repeat(40_000)}`, 'delivered'],
      [`${OK}X: a\r\n  b\r\n${BODY}`, 'delivered'],
    ] as const) {
      const bytes = piecesOf(`${interims}${final}`).map((each) => Buffer.from(each))
      const receiver = await opened({ bytes })
      for (let attempt = 1; attempt <= 3; attempt++)
        expect(await sender.send(requestTo(receiver.url, { attempt }))).toMatchObject({ outcome })
    }
  })
})

describe.each([
  ['in one piece', (bytes: string) => [bytes]],
  ['byte by byte', (bytes: string) => bytes.split('')],
] as const)('blank lines sent %s are skipped', (_name, piecesOf) => {
  test.each([
    ['a 100 and a 200', `\r\n${interim('100')}\r\n\n${OK}${BODY}`, { outcome: 'delivered' }],
    [
      'a 429 with a broken header',
      `\r\n\r\nHTTP/1.1 429 x\r\nRetry-After: 7\r\nX : y\r\n${BODY}`,
      { class: 'http_throttled', retryAfterMs: 7_000 },
    ],
  ])('before %s', async (...[, text, result]) => {
    const bytes = piecesOf(text).map((each) => Buffer.from(each))
    const receiver = await opened({ bytes })
    const sender = openSender()
    for (let attempt = 1; attempt <= 2; attempt++)
      expect(await sender.send(requestTo(receiver.url, { attempt }))).toMatchObject(result)
  })
})

test('blank lines beyond 16 KiB are not skipped', async () => {
  const text = `${'\r\n'.repeat(8 * 1024 + 1)}${interim('100')}${OK}${BODY}`
  const receiver = await opened({ bytes: text })
  const result = await openSender().send(requestTo(receiver.url))
  expect(result).toMatchObject({ outcome: 'retry', class: 'protocol_error' })
})

test('endless interim responses are aborted at the deadline', async () => {
  const receiver = await opened({ bytes: interim('103').repeat(5_000) })
  const result = await openSender({ timeoutMs: 200 }).send(requestTo(receiver.url))
  expect(result).toMatchObject({ outcome: 'retry', class: 'timeout' })
})

test('a response with LF line endings has a status', async () => {
  const receiver = await opened({ bytes: 'HTTP/1.1 202 x\nContent-Length: 2\n\nok', after: 'end' })
  const result = await openSender().send(requestTo(receiver.url))
  expect(result).toMatchObject({ outcome: 'delivered', status: 202 })
})

describe.each([
  ['closes', 'end', 'connection_failed'],
  ['is reset', 'reset', 'connection_failed'],
  ['hangs', undefined, 'timeout'],
] as const)('if the connection %s in the middle of a head', (_verb, after, failure) => {
  const answerWith = (bytes: string) => opened({ bytes, ...(after && { after }) })
  const send = (url: string) => openSender({ timeoutMs: 500 }).send(requestTo(url))

  test.each([
    ['', undefined],
    ['Retry-After: 7\r\n', 7_000],
    ['Retry-After: 7\r\nX-Half', 7_000],
    ['Retry-After: 7', undefined],
  ])('an error status decides, with the complete lines: %j', async (lines, pause) => {
    const receiver = await answerWith(`HTTP/1.1 429 x\r\n${lines}`)
    const result = await send(receiver.url)
    expect(result).toMatchObject({ outcome: 'retry', class: 'http_throttled', status: 429 })
    expect(result.retryAfterMs).toBe(pause)
  })

  test.each([`${OK}X-Half`, `${OK}X: y\r\n`, `${interim('100')}${OK}`, 'HTTP/1.1 4'])(
    'a success, or an incomplete status, is retried: %j',
    async (bytes) => {
      const receiver = await answerWith(bytes)
      expect(await send(receiver.url)).toMatchObject({ outcome: 'retry', class: failure })
    },
  )
})

test('a response with random bytes replaced has an outcome', async () => {
  const receiver = await opened({ bytes: '' })
  const sender = openSender()
  const places = fc.array(fc.record({ at: fc.nat(80), put: fc.uint8Array({ maxLength: 4 }) }), {
    minLength: 1,
    maxLength: 4,
  })
  const responses = fc.constantFrom(...Object.values(UNREADABLE), withStatus('200'), interim('103'))
  await fc.assert(
    fc.asyncProperty(responses, places, async (response, changes) => {
      const bytes = Buffer.from(response)
      for (const { at, put } of changes)
        put.forEach((byte, index) => at + index < bytes.length && (bytes[at + index] = byte))
      receiver.answer = { bytes, after: 'end' }
      const { outcome } = await sender.send(requestTo(receiver.url))
      expect(outcome).toMatch(/^(?:delivered|retry|rejected)$/)
    }),
    { numRuns: 200 },
  )
})

test('receivers with broken responses block no others, and nothing is quarantined', async () => {
  await using healthy = await openReceiver()
  await using engine = await TestEngine.open({ retryDelaysMs: [3_600_000] })
  const broken = Object.values(UNREADABLE)
  for (const [index, bytes] of broken.entries()) {
    const { url } = await opened({ bytes, after: 'end' })
    await engine.destination(`dst_broken_${index}`, url)
  }
  await engine.destination('dst_healthy', healthy.url)
  await engine.receive(20)
  await healthy.waitFor(20)
  for (const index of broken.keys()) {
    const destinationId = `dst_broken_${index}`
    await expect
      .poll(async () =>
        (await engine.deliveries({ destinationId })).flatMap(({ attempts }) => attempts),
      )
      .toContainEqual(expect.objectContaining({ outcome: 'retry', class: 'protocol_error' }))
  }
  expect((await engine.backend.upkeep.backlog()).quarantined).toBe(0)
  expect(
    engine.logged.filter(
      ({ msg }) => /fault|quarantine|failed$/.test(msg) && msg !== 'attempt.failed',
    ),
  ).toEqual([])
})
