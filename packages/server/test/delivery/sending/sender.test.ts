import { createHmac, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { LIMITS } from '@hookline/protocol'
import { AttemptAbortedError } from '../../../src/delivery/network/network-errors.ts'
import type { AttemptResult } from '../../../src/delivery/sending/outcome.ts'
import type { WebhookRequest } from '../../../src/delivery/sending/webhook-request.ts'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import {
  openReceiver,
  type ReceivedRequest,
  type ReceiverOptions,
} from '@hookline/testing/receiver/receiver'
import type { ReceiverResponse } from '@hookline/testing/receiver/receiver-response'
import { openSender, requestTo } from '@hookline/testing/engine/open-sender'

async function listening(options: ReceiverOptions = {}) {
  const receiver = await openReceiver(options)
  onTestFinished(() => receiver[Symbol.asyncDispose]())
  return receiver
}

const request = (url: string, change: Partial<WebhookRequest> = {}): WebhookRequest =>
  requestTo(url, {
    body: Buffer.from('{"version":1,"type":"track","event":"Sign up","userId":"ü"}'),
    ...change,
  })

function only(requests: readonly ReceivedRequest[]): ReceivedRequest {
  const [first] = requests
  expect(requests).toHaveLength(1)
  return first!
}

/** A closed local port. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

describe('the request', () => {
  test('is a POST of the body to the URL, with the headers of the webhook and the delivery', async () => {
    const receiver = await listening()
    const { startedAt } = await openSender().send(
      request(`${receiver.url}?key=1&key=2`, { headers: { 'X-Tenant': 'a' }, attempt: 3 }),
    )
    const [received] = receiver.requests
    expect(received).toMatchObject({ method: 'POST', path: '/hook?key=1&key=2' })
    expect(received?.body.toString()).toBe(String(request('').body))
    expect(received?.headers).toEqual({
      host: `127.0.0.1:${receiver.port}`,
      connection: 'keep-alive',
      'x-tenant': 'a',
      'user-agent': 'Hookline/1.0',
      'content-type': 'application/json',
      'content-length': String(request('').body.length),
      'accept-encoding': 'identity',
      'webhook-id': 'msg_01',
      'webhook-timestamp': String(Math.floor(startedAt / 1000)),
      'x-hookline-attempt': '3',
    })
  })

  test('with a secret has a signature that receivers can verify on the parsed body', async () => {
    const receiver = await listening()
    await openSender().send(request(receiver.url, { sharedSecret: 's3cret-ü' }))
    const { headers, body } = only(await receiver.waitFor(1))
    const parsed: unknown = JSON.parse(body.toString())
    const digest = createHmac('sha1', 's3cret-ü').update(JSON.stringify(parsed)).digest('hex')
    expect(headers['x-signature']).toBe(digest)
  })

  test('with a secret is signed according to Standard Webhooks', async () => {
    const receiver = await listening()
    const key = Buffer.alloc(24, 7)
    const sharedSecret = `whsec_${key.toString('base64')}`
    await openSender().send(request(receiver.url, { sharedSecret }))
    const { headers, body } = only(await receiver.waitFor(1))
    const signed = [headers['webhook-id'], headers['webhook-timestamp'], body].join('.')
    const expected = createHmac('sha256', key).update(signed).digest()
    const [version, signature = ''] = String(headers['webhook-signature']).split(',')
    expect(version).toBe('v1')
    expect(timingSafeEqual(Buffer.from(signature, 'base64'), expected)).toBe(true)
  })

  test("keeps Hookline's headers when static ones have the same names", async () => {
    const receiver = await listening()
    const headers = { 'USER-AGENT': 'mine', 'x-hookline-attempt': '9', 'Webhook-Id': 'mine' }
    await openSender().send(request(receiver.url, { headers }))
    expect(receiver.requests[0]?.headers).toMatchObject({
      'user-agent': 'Hookline/1.0',
      'x-hookline-attempt': '1',
      'webhook-id': 'msg_01',
    })
  })
})

describe('the response', () => {
  test.each<[ReceiverResponse, string, string]>([
    [200, 'delivered', 'delivered'],
    [204, 'delivered', 'delivered'],
    [299, 'delivered', 'delivered'],
    [301, 'rejected', 'redirect'],
    [304, 'rejected', 'redirect'],
    [308, 'rejected', 'redirect'],
    [400, 'rejected', 'http_4xx'],
    [404, 'rejected', 'http_4xx'],
    [410, 'rejected', 'http_4xx'],
    [408, 'retry', 'http_throttled'],
    [425, 'retry', 'http_throttled'],
    [429, 'retry', 'http_throttled'],
    [500, 'retry', 'http_5xx'],
    [503, 'retry', 'http_5xx'],
    [599, 'retry', 'http_5xx'],
    [799, 'retry', 'protocol_error'],
  ])(
    'with status %s has the outcome %s and the class %s',
    async (answer, outcome, attemptClass) => {
      const receiver = await listening({ respond: answer })
      const result = await openSender().send(request(receiver.url))
      expect(result).toMatchObject({ status: answer, outcome, class: attemptClass })
      expect('error' in result).toBe(outcome !== 'delivered')
      expect(result.durationMs).toBeGreaterThan(0)
    },
  )

  test.each<[string, ReceiverResponse, string]>([
    ['not HTTP', { bytes: 'SSH-2.0-OpenSSH_9.9\r\n' }, 'protocol_error'],
    [
      '101',
      { bytes: 'HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n' },
      'protocol_error',
    ],
    ['half a status line', { bytes: 'HTTP/1.1 20' }, 'connection_failed'],
    ['a reset', 'reset', 'connection_failed'],
    ['a connection closed without a response', 'close', 'connection_failed'],
    ['a half-closed connection', 'half-close', 'connection_failed'],
  ])('that is %s is retried', async (_name, answer, attemptClass) => {
    const receiver = await listening({ respond: answer })
    const result = await openSender().send(request(receiver.url))
    expect(result).toMatchObject({ outcome: 'retry', class: attemptClass })
    expect(result.error).toMatch(/\.$/)
  })

  test('is the first final one, after any interim responses', async () => {
    const bytes =
      'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n'
    const receiver = await listening({ respond: { bytes } })
    expect(await openSender().send(request(receiver.url))).toMatchObject({ status: 202 })
  })

  test('counts as delivered by its status, even if the body is cut off', async () => {
    const receiver = await listening({ respond: 'broken-body' })
    const result = await openSender().send(request(receiver.url))
    expect(result).toMatchObject({ outcome: 'delivered', status: 200, body: 'hello' })
  })

  test.each([
    [429, '120', 120_000],
    [503, '7', 7000],
    [502, ['soon', '7'], 7000],
    [408, 'Fri, 31 Dec 9999 23:59:59 GMT', 3_600_000],
    [500, '7', undefined],
    [404, '7', undefined],
  ])('%d with Retry-After %s causes a delay of %s ms', async (status, header, retryAfterMs) => {
    const receiver = await listening({ respond: { status, headers: { 'Retry-After': header } } })
    const result = await openSender().send(request(receiver.url))
    expect(result.retryAfterMs).toBe(retryAfterMs)
  })

  test('is not followed if it redirects, and its target is recorded without the query', async () => {
    const elsewhere = await listening()
    const location = `${elsewhere.url}?token=s3cret#part`
    const receiver = await listening({ respond: { status: 307, headers: { location } } })
    const result = await openSender().send(request(receiver.url))
    expect(result).toMatchObject({ outcome: 'rejected', class: 'redirect' })
    expect(result.headers?.['location']).toBe(elsewhere.url)
    expect(result.error).toContain(elsewhere.url)
    expect(JSON.stringify(result)).not.toContain('s3cret')
    expect(elsewhere.connections).toBe(0)
    expect(receiver.requests).toHaveLength(1)
  })

  test('is recorded with only its allowlisted headers', async () => {
    const headers = {
      'Content-Type': 'text/plain',
      'X-Request-Id': 'r1',
      'Set-Cookie': 'session=1',
      'X-Internal': 'host7',
      Server: 'nginx',
    }
    const receiver = await listening({ respond: { status: 500, headers, body: 'oops' } })
    const { headers: shown } = await openSender().send(request(receiver.url))
    expect(Object.keys(shown ?? {}).toSorted()).toEqual([
      'content-type',
      'date',
      'server',
      'x-request-id',
    ])
  })

  test('that echoes secrets is recorded without them', async () => {
    const receiver = await listening({
      respond: ({ headers }) => ({
        status: 400,
        headers: { 'X-Request-Id': String(headers['x-api-key']) },
        body: `you sent ${JSON.stringify(headers)} signed with the-shared-secret`,
      }),
    })
    const headers = { 'X-Api-Key': 'key-of-tenant' }
    const result = await openSender().send(
      request(receiver.url, { headers, sharedSecret: 'the-shared-secret' }),
    )
    expect(result.body).toContain(`signed with ${'*'.repeat(17)}`)
    expect(JSON.stringify(result)).not.toMatch(/key-of-tenant|the-shared-secret/)
  })
})

describe('the body of the response', () => {
  test('is recorded up to 4 KiB, without an incomplete character at the end', async () => {
    const receiver = await listening({ respond: { status: 500, body: `x${'ü'.repeat(5000)}` } })
    const { body } = await openSender().send(request(receiver.url))
    expect(body).toBe(`x${'ü'.repeat(2047)}`)
  })

  test('is recorded even if it is not text', async () => {
    const body = Buffer.from([0x61, 0, 0xff, 0x62])
    const receiver = await listening({ respond: { status: 500, body } })
    expect((await openSender().send(request(receiver.url))).body).toBe('a\uFFFD\uFFFDb')
  })

  test('is read up to 64 KiB, so that the socket can be reused', async () => {
    const body = 'x'.repeat(64 * 1024)
    const receiver = await listening({ respond: { status: 200, body } })
    const sender = openSender()
    for (let n = 0; n < 5; n += 1) await sender.send(request(receiver.url))
    expect(receiver.connections).toBeLessThanOrEqual(2)
  })

  test('closes the socket if it is endless and fast, but counts as delivered', async () => {
    const receiver = await listening({ respond: 'endless-body' })
    // The clock does not advance, so only the number of bytes can end the exchange.
    const result = await openSender({ clock: new ManualClock() }).send(request(receiver.url))
    expect(result).toMatchObject({ outcome: 'delivered', status: 200, body: 'x'.repeat(4096) })
    await expect.poll(() => receiver.openConnections).toBe(0)
  })

  test('closes the socket after a second if it is endless and slow, but counts as delivered', async () => {
    const receiver = await listening({ respond: 'slow-body' })
    const clock = new ManualClock()
    const sender = openSender({ clock, timeoutMs: 86_400_000 })
    let result: AttemptResult | undefined
    void sender.send(request(receiver.url)).then((ended) => (result = ended))
    // The second begins after the headers. The deadline of the attempt is far away.
    const passed = () => (clock.advance(1_000), result)
    await expect.poll(passed).toMatchObject({ outcome: 'delivered', status: 200 })
    await expect.poll(() => receiver.openConnections).toBe(0)
  })
})

describe('the deadline', () => {
  test('is five seconds by default, and a timeout is retried', async () => {
    const receiver = await listening({ respond: 'silence' })
    const clock = new ManualClock()
    const sender = openSender({ clock, timeoutMs: LIMITS.attemptTimeoutMs })
    const sent = sender.send(request(receiver.url))
    await receiver.waitFor(1)
    clock.advance(4_999)
    expect(receiver.openConnections).toBe(1)
    clock.advance(1)
    const result = await sent
    expect(result).toMatchObject({ outcome: 'retry', class: 'timeout' })
    expect(result.error).toBe('No response within 5000 ms.')
    await expect.poll(() => receiver.openConnections).toBe(0)
  })

  test.each(['silence', 'slow-headers', 'interim-flood'] as const)(
    'expires during %s',
    async (misbehaviour) => {
      const receiver = await listening({ respond: misbehaviour })
      const result = await openSender({ timeoutMs: 200 }).send(request(receiver.url))
      expect(result).toMatchObject({ outcome: 'retry', class: 'timeout' })
    },
  )

  test('covers an endless TLS handshake', async () => {
    const sockets: Socket[] = []
    const server = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1')
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const sender = openSender({ timeoutMs: 200 })
    const result = await sender.send(request(`https://127.0.0.1:${port}/`))
    expect(result).toMatchObject({ outcome: 'retry', class: 'timeout' })
  })

  test('covers the wait for a socket', async () => {
    const receiver = await listening({ respond: 'silence' })
    const clock = new ManualClock()
    const sender = openSender({ clock, maxConnectionsPerWebhook: 1 })
    const sent = Promise.all([1, 2, 3].map(() => sender.send(request(receiver.url))))
    await receiver.waitFor(1)
    // The deadline of all three attempts, including the two that wait.
    clock.advance(5_000)
    const results = await sent
    expect(results.map((result) => result.class)).toEqual(['timeout', 'timeout', 'timeout'])
    expect(receiver.requests).toHaveLength(1)
  })
})

describe('a connection', () => {
  test('that is refused is retried', async () => {
    const url = `http://127.0.0.1:${await closedPort()}/?key=s3cret`
    const result = await openSender().send(request(url))
    expect(result).toMatchObject({ outcome: 'retry', class: 'connection_failed' })
    expect(result.error).toBe('The connection was refused (ECONNREFUSED).')
    expect('status' in result).toBe(false)
  })

  test('is reused by the next attempt', async () => {
    const receiver = await listening({ respond: { status: 500, body: 'oops' } })
    const sender = openSender()
    for (let n = 0; n < 20; n += 1) await sender.send(request(receiver.url))
    expect(receiver.requests).toHaveLength(20)
    // undici cannot reuse the socket until the tick after the response. An attempt before that opens a second socket.
    expect(receiver.connections).toBeLessThanOrEqual(2)
  })

  test('counts towards the connection limit of its webhook', async () => {
    const { promise, resolve } = Promise.withResolvers<ReceiverResponse>()
    const receiver = await listening({ respond: () => promise })
    const sender = openSender({ maxConnectionsPerWebhook: 3 })
    const sent = Promise.all(Array.from({ length: 9 }, () => sender.send(request(receiver.url))))
    await receiver.waitFor(3)
    resolve(200)
    expect((await sent).every(({ outcome }) => outcome === 'delivered')).toBe(true)
    expect(receiver.connections).toBe(3)
  })

  test('of one webhook does not delay another webhook on the same host', async () => {
    const receiver = await listening({
      respond: ({ path }) => (path === '/slow' ? 'silence' : 200),
    })
    const sender = openSender({ maxConnectionsPerWebhook: 1 })
    const slow = `http://127.0.0.1:${receiver.port}/slow`
    const stuck = sender.send(request(slow))
    await receiver.waitFor(1)
    expect(await sender.send(request(receiver.url))).toMatchObject({ outcome: 'delivered' })
    sender.abort()
    await expect(stuck).rejects.toThrow()
  })

  test('is opened again if the receiver has closed the last one', async () => {
    const receiver = await listening({ respond: { status: 200, headers: { Connection: 'close' } } })
    const sender = openSender()
    for (let n = 0; n < 3; n += 1) {
      expect(await sender.send(request(receiver.url))).toMatchObject({ outcome: 'delivered' })
    }
    expect(receiver.connections).toBe(3)
  })

  test('goes directly to the receiver, even if the environment names a proxy', async () => {
    const proxy = await listening()
    const receiver = await listening()
    const names = ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY']
    for (const name of names) process.env[name] = proxy.url
    onTestFinished(() => {
      for (const name of names) delete process.env[name]
    })
    expect(await openSender().send(request(receiver.url))).toMatchObject({ outcome: 'delivered' })
    expect(proxy.connections).toBe(0)
  })

  test('is closed when the sender is disposed of', async () => {
    const receiver = await listening()
    const sender = openSender()
    await sender.send(request(receiver.url))
    expect(receiver.openConnections).toBe(1)
    await sender[Symbol.asyncDispose]()
    await expect.poll(() => receiver.openConnections).toBe(0)
  })
})

describe('an aborted attempt', () => {
  test.each(['silence', 'slow-headers'] as const)(
    'rejects, and closes the socket, while the receiver responds with %s',
    async (respond) => {
      const receiver = await listening({ respond })
      const sender = openSender()
      const sent = sender.send(request(receiver.url))
      await receiver.waitFor(1)
      sender.abort()
      await expect(sent).rejects.toThrow(AttemptAbortedError)
      await expect.poll(() => receiver.openConnections).toBe(0)
    },
  )

  test('rejects while it waits for a socket, and sends nothing', async () => {
    const receiver = await listening({ respond: 'silence' })
    const sender = openSender({ maxConnectionsPerWebhook: 1 })
    const sent = [sender.send(request(receiver.url)), sender.send(request(receiver.url))]
    await receiver.waitFor(1)
    sender.abort()
    for (const each of sent) await expect(each).rejects.toThrow(AttemptAbortedError)
    await expect.poll(() => receiver.openConnections).toBe(0)
    expect(receiver.requests).toHaveLength(1)
  })

  test('has the result of the status if only the body is missing', async () => {
    const receiver = await listening({ respond: 'slow-body' })
    const clock = new ManualClock()
    const sender = openSender({ clock })
    const sent = sender.send(request(receiver.url))
    await receiver.waitFor(1)
    // Waits for the status to arrive.
    await new Promise((resolve) => setTimeout(resolve, 100))
    sender.abort()
    expect(await sent).toMatchObject({ outcome: 'delivered', status: 200 })
  })

  test('that has not begun makes no connection', async () => {
    const receiver = await listening()
    const sender = openSender()
    sender.abort()
    await expect(sender.send(request(receiver.url))).rejects.toThrow(AttemptAbortedError)
    expect(receiver.connections).toBe(0)
  })
})
