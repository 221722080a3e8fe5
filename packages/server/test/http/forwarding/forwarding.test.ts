import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { dirname } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { BothWays, receivedBytes } from './both-ways.ts'

let ways: BothWays

beforeEach(async () => {
  ways = await BothWays.open({ trustedProxies: '127.0.0.9/32' })
})
afterEach(() => ways[Symbol.asyncDispose]())

const get = (path: string, ...headers: string[]): string =>
  [`GET ${path} HTTP/1.1`, 'Host: test', ...headers, '', ''].join('\r\n')
const last = (path: string): string => get(path, 'Connection: close')

/** The JSON bodies of the responses. */
async function bodiesOf(socket: Socket): Promise<unknown[]> {
  const { text } = await receivedBytes(socket)
  return (text.match(/\{.*\}/g) ?? []).map((body) => JSON.parse(body) as unknown)
}

async function textUntil(socket: Socket, part: string): Promise<string> {
  let text = ''
  for (;;) {
    text += String((await once(socket, 'data'))[0])
    if (text.includes(part)) return text
  }
}

test("the main thread sees the client's own connection, regardless of its headers", async () => {
  const socket = ways.connect('forwarded')
  socket.write(get('/ends', 'X-Forwarded-For: 1.2.3.4', 'Connection: close'))
  await once(socket, 'connect')
  const { localPort, remotePort } = socket
  expect(await bodiesOf(socket)).toEqual([
    {
      ip: '127.0.0.1',
      remoteAddress: '127.0.0.1',
      remotePort: localPort,
      remoteFamily: 'IPv4',
      localAddress: '127.0.0.1',
      localPort: remotePort,
    },
  ])
})

test('900 simultaneous clients are all served, even if the main thread is busy', async () => {
  const clients = Array.from({ length: 900 }, () => ways.connect('forwarded'))
  await Promise.all(clients.map((client) => once(client, 'connect')))
  // More than Node's default backlog of 511.
  for (const client of clients) client.write(last('/ends'))
  const results = await Promise.all(clients.map((client) => receivedBytes(client)))
  expect(results.filter(({ text }) => !text.startsWith('HTTP/1.1 200'))).toEqual([])
})

test("the address reported by a proxy is used if the proxy's own address is trusted", async () => {
  const socket = ways.connect('forwarded', '127.0.0.9')
  socket.write(get('/ends', 'X-Forwarded-For: 1.2.3.4', 'Connection: close'))
  expect(await bodiesOf(socket)).toMatchObject([{ ip: '1.2.3.4', remoteAddress: '127.0.0.9' }])
})

describe('the private address', () => {
  test('is in a folder that other users cannot enter', async () => {
    expect((await stat(dirname(ways.path))).mode & 0o777).toBe(0o700)
  })

  test('serves nothing without the secret', async () => {
    const socket = connect({ path: ways.path, allowHalfOpen: true })
    socket.write(get('/ends').repeat(10))
    expect((await receivedBytes(socket)).text).toBe('')
  })
})

test('requests for a thread are handled there until the first forwarded request', async () => {
  const socket = ways.connect('forwarded')
  socket.write(get('/own') + get('/own') + get('/echo') + get('/own') + last('/own'))
  expect(await bodiesOf(socket)).toMatchObject([
    { by: 'thread' },
    { by: 'thread' },
    { url: '/echo' },
    { by: 'main' },
    { by: 'main' },
  ])
})

test('a forwarded connection closes after a request for a thread, so that later calls are handled there', async () => {
  const socket = ways.connect('forwarded')
  socket.write(get('/echo'))
  await textUntil(socket, '/echo')
  socket.write(get('/own'))
  const { text } = await receivedBytes(socket)
  expect(text.toLowerCase()).toContain('connection: close')
  expect(text).toContain('{"by":"main"}')
})

test('a request is forwarded after the responses to earlier ones were sent', async () => {
  const socket = ways.connect('forwarded')
  const body = 'x'.repeat(300_000)
  const head = `POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`
  socket.write(get('/own/held') + get('/own') + head)
  await expect.poll(() => ways.held).toHaveLength(1)
  socket.write(body)
  ways.release.resolve()
  expect(await bodiesOf(socket)).toMatchObject([
    { by: 'thread' },
    { by: 'thread' },
    { bytes: body.length },
  ])
})

test('an event stream is forwarded as it is sent', async () => {
  const socket = ways.connect('forwarded')
  socket.write(last('/events'))
  await textUntil(socket, 'data: first\n\n')
  const rest = receivedBytes(socket)
  ways.release.resolve()
  expect((await rest).text).toContain('data: last\n\n')
})

test('a request is aborted when its client disconnects', async () => {
  const socket = ways.connect('forwarded')
  socket.write(get('/held'))
  await expect.poll(() => ways.held).toHaveLength(1)
  const [request] = ways.held
  const closed = once(request!.socket, 'close')
  socket.resetAndDestroy()
  await closed
})

test.each(['/cut', '/reset'])(
  'a response that is cut off at %s is cut off for the client',
  async (path) => {
    const socket = ways.connect('forwarded')
    socket.write(get(path))
    const { text } = await receivedBytes(socket)
    expect(text.split('\r\n\r\n')[1]).toMatch(/^(half)?$/)
    expect(text.match(/HTTP\/1.1/g)?.length ?? 0).toBeLessThanOrEqual(1)
  },
)

test('a client is disconnected when the main thread is gone', async () => {
  const socket = ways.connect('forwarded')
  socket.write(get('/held'))
  await expect.poll(() => ways.held).toHaveLength(1)
  const [request] = ways.held
  const end = receivedBytes(socket)
  request!.socket.destroy()
  expect((await end).text).toBe('')
  await ways.main.close()
  const late = ways.connect('forwarded')
  late.write(get('/echo'))
  expect((await receivedBytes(late)).text).toBe('')
})

test('a download waits for its reader, and is complete', async () => {
  const bytes = 100 * 65_536
  const socket = ways.connect('forwarded')
  socket.write(last(`/download?bytes=${bytes}`))
  await once(socket, 'readable')
  const { text } = await receivedBytes(socket)
  expect(text.match(/x/g)).toHaveLength(bytes)
})

test('an upload waits for the main thread, and is complete', async () => {
  const socket = ways.connect('forwarded')
  socket.write(
    'POST /echo HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n',
  )
  const chunk = Buffer.from(`10000\r\n${'x'.repeat(65_536)}\r\n`)
  for (let sent = 0; sent < 200; sent++) if (!socket.write(chunk)) await once(socket, 'drain')
  socket.write('0\r\nX-Trailer: yes\r\n\r\n')
  expect(await bodiesOf(socket)).toMatchObject([
    { bytes: 200 * 65_536, rawTrailers: ['X-Trailer', 'yes'] },
  ])
})

test('a client that half-closes its connection gets its response', async () => {
  const socket = ways.connect('forwarded')
  const responses = bodiesOf(socket)
  socket.end(get('/echo'))
  expect(await responses).toMatchObject([{ url: '/echo' }])
})

test('no header is lost, for any number of headers that Node accepts, even if the last one is Content-Length', async () => {
  const body = get('/own')
  for (const count of [990, 996, 997, 998, 999, 1_000, 1_001, 1_002]) {
    const head = `POST /echo HTTP/1.1\r\n${'a:\r\n'.repeat(count)}Content-Length: ${body.length}\r\n\r\n`
    const responses = (['direct', 'forwarded'] as const).map((way) => {
      const socket = ways.connect(way)
      socket.write(head + body + last('/echo'))
      return bodiesOf(socket)
    })
    const [direct, forwarded] = await Promise.all(responses)
    expect(forwarded).toEqual(direct)
    expect(direct).toMatchObject(
      direct!.length === 2 ? [{ bytes: body.length }, {}] : [{ code: 'headers_too_large' }],
    )
  }
})

test('forwarded connections are counted by the main thread, and not closed as idle by the forwarding thread', async () => {
  await ways[Symbol.asyncDispose]()
  ways = await BothWays.open({}, 3)
  const socket = ways.connect('forwarded')
  socket.write(get('/held'))
  await expect.poll(() => ways.held).toHaveLength(1)
  for (let count = 0; count < 6; count++) {
    const other = ways.connect('forwarded')
    other.write(get('/own'))
    await textUntil(other, 'thread')
  }
  const response = textUntil(socket, 'released')
  ways.release.resolve()
  await response
  for (let count = 0; count < 6; count++) {
    const other = ways.connect('forwarded')
    other.write(get('/echo'))
    await textUntil(other, '/echo')
  }
  await expect.poll(() => socket.readableEnded || socket.destroyed).toBe(true)
})
