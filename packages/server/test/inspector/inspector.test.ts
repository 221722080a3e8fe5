import { LIMITS } from '@hookline/protocol'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { AttemptAbortedError } from '../../src/delivery/network/network-errors.ts'
import type { WebhookRequest } from '../../src/delivery/sending/webhook-request.ts'
import type { InspectedRequest } from '../../src/inspector/inspected-request.ts'
import { Inspector } from '../../src/inspector/inspector.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { openSender, requestTo } from '@hookline/testing/engine/open-sender'

class CountingClock extends ManualClock {
  /** How many timers were cancelled. */
  cancelled = 0

  override after(delayMs: number, task: () => void): () => void {
    const cancel = super.after(delayMs, task)
    return () => {
      this.cancelled += 1
      cancel()
    }
  }
}

const URL = 'http://inspector.internal/'
const catalog = { current: { sources: new Map(), destinations: new Map() } } as never

/** An inspector, and a sender that can reach only the inspector. */
function open(onInspected?: (request: InspectedRequest) => void) {
  const clock = new CountingClock(NOON)
  const inspector = new Inspector({
    clock,
    logger: pino({ enabled: false }),
    catalog,
    onInspected,
  })
  const sender = openSender({
    clock,
    inspector,
    timeoutMs: 60_000,
    allowedNetworks: [],
    maxConnectionsPerWebhook: 64,
  })
  const send = (change: Partial<WebhookRequest> = {}) =>
    sender.send(requestTo(change.url ?? URL, change))
  return { clock, inspector, sender, send }
}

const newest = ({ requests }: Inspector) => requests.newest({}, { limit: 1 })[0]

test('stores a request as it was sent, and hides the values of static headers', async () => {
  const { inspector, send } = open()
  const { status } = await send({
    url: `${URL}hook?a=%20`,
    headers: { Authorization: 'Bearer planted' },
    deliveryId: 'msg_01kf0rdqg0f88trbntrw0bgpgn',
    attempt: 3,
    body: Buffer.from('{"type":"page", "name":"Home"}'),
  })
  expect(status).toBe(200)
  expect(newest(inspector)).toMatchObject({
    method: 'POST',
    path: '/hook?a=%20',
    headers: [
      ['host', 'inspector.internal'],
      ['connection', 'keep-alive'],
      ['Authorization', '[hidden]'],
      ['User-Agent', 'Hookline/1.0'],
      ['Content-Type', 'application/json'],
      ['Accept-Encoding', 'identity'],
      ['webhook-id', 'msg_01kf0rdqg0f88trbntrw0bgpgn'],
      ['webhook-timestamp', String(NOON / 1000)],
      ['X-Hookline-Attempt', '3'],
      ['content-length', '30'],
    ],
    event: { type: 'page', name: 'Home' },
    deliveryId: 'msg_01kf0rdqg0f88trbntrw0bgpgn',
    attempt: 3,
    response: { status: 200, delayMs: 0, isSent: true },
    receivedAt: NOON,
  })
  expect(newest(inspector)!.body.toString()).toBe('{"type":"page", "name":"Home"}')
})

test('shows the same head and body that another receiver gets, byte for byte', async () => {
  const wire = Promise.withResolvers<string>()
  const server = createServer((socket) => {
    socket.once('data', (bytes) => {
      wire.resolve(bytes.toString('latin1'))
      socket.end('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const { clock, inspector, send } = open()
  const change = { sharedSecret: 'a secret', body: Buffer.from('{"userId":"ü"}') }
  const toServer = requestTo(`http://127.0.0.1:${port}/hook?b=1`, change)
  await openSender({ clock }).send(toServer)
  server.close()
  await send({ ...change, url: `${URL}hook?b=1` })
  const { method, path, headers, body } = newest(inspector)!
  const lines = headers.map(([name, value]) => `${name}: ${value}`)
  const text = [`${method} ${path} HTTP/1.1`, ...lines, '', body.toString('latin1')].join('\r\n')
  expect(text.replace('inspector.internal', `127.0.0.1:${port}`)).toBe(await wire.promise)
})

test('accepts the largest body', async () => {
  const { inspector, send } = open()
  await send({ body: Buffer.alloc(LIMITS.payloadBytes, 'x') })
  expect(newest(inspector)!.body).toHaveLength(LIMITS.payloadBytes)
})

test('a delayed response does not delay showing the request', async () => {
  const seen: InspectedRequest[] = []
  const { clock, inspector, send } = open((request) => seen.push(request))
  inspector.responses = { status: 503, delayMs: 5_000, failFirst: null }
  const sent = send()
  await expect.poll(() => seen).toHaveLength(1)
  expect(newest(inspector)!.response).toEqual({ status: 503, delayMs: 5_000, isSent: false })
  clock.advance(5_000)
  expect(await sent).toMatchObject({ status: 503 })
  expect(newest(inspector)!.response.isSent).toBe(true)
})

test('an attempt that is aborted during the delay gets no response', async () => {
  const { clock, inspector, sender, send } = open()
  inspector.responses = { status: 200, delayMs: 5_000, failFirst: null }
  const failed = expect(send()).rejects.toThrow(AttemptAbortedError)
  await expect.poll(() => newest(inspector)).toBeDefined()
  const { cancelled } = clock
  sender.abort()
  await failed
  await expect.poll(() => clock.cancelled).toBe(cancelled + 1)
  expect(newest(inspector)!.response.isSent).toBe(false)
})

test('an error in the inspector makes the attempt fail', async () => {
  const { send } = open(() => {
    throw new Error('planted')
  })
  expect(await send()).toMatchObject({ outcome: 'retry', class: 'connection_failed' })
})

test('failFirst fails the first attempts of each delivery, by attempt number', async () => {
  const { inspector, send } = open()
  inspector.responses = { status: 500, delayMs: 0, failFirst: 2 }
  const statuses = []
  for (const attempt of [1, 2, 3, 1]) statuses.push((await send({ attempt })).status)
  expect(statuses).toEqual([500, 500, 200, 500])
})

test('limits stored requests under a load of 400 requests of 64 KiB each', async () => {
  const { inspector, send } = open()
  const body = Buffer.from(
    JSON.stringify({ type: 'track', properties: { text: 'x'.repeat(64 * 1024) } }),
  )
  for (let sent = 0; sent < 400; sent += 50)
    await Promise.all(Array.from({ length: 50 }, () => send({ body })))
  const { stored, bytes, received } = inspector.requests.counts
  expect(received).toBe(400)
  expect(bytes).toBeLessThanOrEqual(16 * 1024 * 1024)
  expect(stored).toBe(Math.floor((16 * 1024 * 1024) / (bytes / stored)))
})
