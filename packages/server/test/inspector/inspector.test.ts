import { LIMITS } from '@hookline/protocol'
import { once } from 'node:events'
import { type IncomingMessage, request as httpRequest } from 'node:http'
import { connect, type Socket } from 'node:net'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import type { InspectedRequest } from '../../src/inspector/inspected-request.ts'
import { Inspector } from '../../src/inspector/inspector.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'

class CountingClock extends ManualClock {
  /** How many waits have ended early. */
  cancelled = 0

  override after(delayMs: number, task: () => void): () => void {
    const cancel = super.after(delayMs, task)
    return () => {
      this.cancelled += 1
      cancel()
    }
  }
}

const catalog = { current: { sources: new Map(), destinations: new Map() } } as never

function open(onInspected?: (request: InspectedRequest) => void) {
  const clock = new CountingClock(NOON)
  const logger = pino({ enabled: false })
  const inspector = new Inspector({ clock, logger, catalog, onInspected })
  return inspector.listen().then(() => ({ inspector, clock }))
}

/** A connection as the sender opens it. */
async function connected(inspector: Inspector, isAdmitted = true): Promise<Socket> {
  const socket = connect(inspector.address)
  await once(socket, 'connect')
  if (isAdmitted) inspector.admit(socket.localPort!)
  return socket
}

interface Sent {
  readonly path?: string
  readonly headers?: object
  readonly body?: string
}

/** Sends a request by hand on a connection of its own. Resolves to the status. */
async function send(
  inspector: Inspector,
  { isAdmitted = true, ...sent }: Sent & { readonly isAdmitted?: boolean } = {},
): Promise<number> {
  return sendOn(await connected(inspector, isAdmitted), sent)
}

async function sendOn(
  socket: Socket,
  { path = '/', headers = {}, body = '{}' }: Sent,
): Promise<number> {
  const all = { host: 'inspector.internal', ...headers }
  const sent = httpRequest({ createConnection: () => socket, path, method: 'POST', headers: all })
  const answered = once(sent, 'response')
  sent.end(body)
  const [response] = (await answered) as [IncomingMessage]
  response.resume()
  await once(response, 'end')
  return response.statusCode!
}

const newest = ({ requests }: Inspector) => requests.newest({}, { limit: 1 })[0]?.request

test('keeps a request as it came, and hides the values of static headers', async () => {
  const { inspector } = await open()
  await using _ = inspector
  const headers = {
    Authorization: 'Bearer planted',
    'X-Hookline-Attempt': '3',
    'webhook-id': 'msg_01kf0rdqg0f88trbntrw0bgpgn',
  }
  expect(
    await send(inspector, { path: '/hook?a=%20', headers, body: '{"type":"page", "name":"Home"}' }),
  ).toBe(200)
  expect(newest(inspector)).toMatchObject({
    method: 'POST',
    path: '/hook?a=%20',
    headers: [
      ['host', 'inspector.internal'],
      ['Authorization', '[hidden]'],
      ['X-Hookline-Attempt', '3'],
      ['webhook-id', 'msg_01kf0rdqg0f88trbntrw0bgpgn'],
      ['Connection', expect.any(String)],
      ['Content-Length', '30'],
    ],
    event: { type: 'page', name: 'Home' },
    deliveryId: 'msg_01kf0rdqg0f88trbntrw0bgpgn',
    attempt: 3,
    response: { status: 200, delayMs: 0, isSent: true },
    receivedAt: NOON,
  })
  expect(newest(inspector)!.body.toString()).toBe('{"type":"page", "name":"Home"}')
})

test('refuses and forgets the requests of another program of this machine, whatever they say', async () => {
  const { inspector } = await open()
  await using _ = inspector
  expect(await send(inspector, { isAdmitted: false })).toBe(421)
  expect(newest(inspector)).toBeUndefined()
  expect(await send(inspector)).toBe(200)
})

test('refuses a connection from another address of loopback that has the port of the sender', async () => {
  const { inspector } = await open()
  await using _ = inspector
  const admitted = await connected(inspector)
  const forger = connect({
    ...inspector.address,
    localAddress: '127.0.0.2',
    localPort: admitted.localPort!,
  })
  await once(forger, 'connect')
  expect(await sendOn(forger, {})).toBe(421)
  expect(newest(inspector)).toBeUndefined()
  admitted.destroy()
})

test('takes the largest body, and refuses a larger one', async () => {
  const { inspector } = await open()
  await using _ = inspector
  expect(await send(inspector, { body: 'x'.repeat(LIMITS.payloadBytes) })).toBe(200)
  expect(await send(inspector, { body: 'x'.repeat(LIMITS.payloadBytes + 1) })).toBe(413)
  expect(inspector.requests.counts.received).toBe(1)
})

test('a delayed response waits, and the request is seen at once', async () => {
  const seen: InspectedRequest[] = []
  const { inspector, clock } = await open((request) => seen.push(request))
  await using _ = inspector
  inspector.answers = { status: 503, delayMs: 5_000, failFirst: null }
  const answered = send(inspector)
  await expect.poll(() => seen).toHaveLength(1)
  expect(newest(inspector)!.response).toEqual({ status: 503, delayMs: 5_000, isSent: false })
  clock.advance(5_000)
  expect(await answered).toBe(503)
  expect(newest(inspector)!.response.isSent).toBe(true)
})

test('a connection that is closed during the delay gets no response', async () => {
  const { inspector, clock } = await open()
  await using _ = inspector
  inspector.answers = { status: 200, delayMs: 5_000, failFirst: null }
  const socket = await connected(inspector)
  const headers = { host: 'inspector.internal' }
  const sent = httpRequest({ createConnection: () => socket, method: 'POST', headers })
  const failed = once(sent, 'error').catch(() => undefined)
  sent.end('{}')
  await expect.poll(() => newest(inspector)).toBeDefined()
  sent.destroy(new Error('The attempt took too long.'))
  await failed
  await expect.poll(() => clock.cancelled).toBe(1)
  expect(newest(inspector)!.response.isSent).toBe(false)
})

test('failFirst fails the first attempts of each delivery, by their number', async () => {
  const { inspector } = await open()
  await using _ = inspector
  inspector.answers = { status: 500, delayMs: 0, failFirst: 2 }
  const statuses: number[] = []
  for (const attempt of ['1', '2', '3', '1', '']) {
    const headers = attempt === '' ? {} : { 'x-hookline-attempt': attempt }
    statuses.push(await send(inspector, { headers }))
  }
  expect(statuses).toEqual([500, 500, 200, 500, 500])
})

test('the keeping of requests has a bound under load, of 400 requests with 64 KiB each', async () => {
  const { inspector } = await open()
  await using _ = inspector
  const body = JSON.stringify({ type: 'track', properties: { text: 'x'.repeat(64 * 1024) } })
  for (let sent = 0; sent < 400; sent += 50)
    await Promise.all(Array.from({ length: 50 }, () => send(inspector, { body })))
  const { kept, bytes, received } = inspector.requests.counts
  expect(received).toBe(400)
  expect(bytes).toBeLessThanOrEqual(16 * 1024 * 1024)
  expect(kept).toBe(Math.floor((16 * 1024 * 1024) / (bytes / kept)))
})
