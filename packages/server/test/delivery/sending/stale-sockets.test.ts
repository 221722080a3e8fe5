import { once } from 'node:events'
import { type AddressInfo, createServer, Socket } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { openSender, requestTo } from '@hookline/testing/engine/open-sender'
import type { WebhookSender } from '../../../src/delivery/sending/sender.ts'
import { nextTurn } from '../../../src/util/time/clock.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

interface Arrived {
  /** The number of its connection, from 0. */
  readonly connection: number
  /** The number of the request on its connection, from 0. */
  readonly number: number
  readonly webhookId: string
}

async function send(sender: WebhookSender, url: string): ReturnType<WebhookSender['send']> {
  const result = await sender.send(requestTo(url))
  // undici reports the socket as idle only after this.
  await nextTurn()
  return result
}

/** A receiver on loopback that passes each request to `answer`. */
async function receiverThat(
  answer: (socket: Socket, arrived: Arrived) => void,
): Promise<{ readonly url: string; readonly requests: Arrived[] }> {
  const requests: Arrived[] = []
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    const connection = sockets.push(socket) - 1
    let number = 0
    let text = ''
    socket.on('error', () => undefined)
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      if (!text.endsWith('}')) return
      const webhookId = /^webhook-id: (.*)\r$/im.exec(text)![1]!
      const arrived = { connection, number: number++, webhookId }
      text = ''
      requests.push(arrived)
      answer(socket, arrived)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, requests }
}

describe.each([
  ['resets', (socket: Socket) => socket.resetAndDestroy()],
  ['closes', (socket: Socket) => socket.end()],
  ['drops', (socket: Socket) => socket.destroy()],
  ['sends a blank line on and closes', (socket: Socket) => socket.end('\r\n')],
] as const)('a receiver that %s an idle connection as the request is written', (_verb, close) => {
  test('gets it immediately on a new connection, as the same attempt', async () => {
    const { url, requests } = await receiverThat((socket, { number }) =>
      number === 0 ? socket.write(OK) : close(socket),
    )
    const sender = openSender()
    for (let attempt = 1; attempt <= 4; attempt++)
      expect(await send(sender, url)).toMatchObject({ outcome: 'delivered', status: 200 })
    const order = requests.map(({ connection, number }) => `${connection}.${number}`)
    expect(order).toEqual(['0.0', '0.1', '1.0', '1.1', '2.0', '2.1', '3.0'])
    expect(new Set(requests.map(({ webhookId }) => webhookId)).size).toBe(1)
  })

  test('gets all requests of twenty stale connections', async () => {
    const waiting: Socket[] = []
    const { url, requests } = await receiverThat((socket, { number }) => {
      if (number > 0) close(socket)
      else if (waiting.push(socket) >= 20) for (const each of waiting) each.write(OK)
    })
    const sender = openSender({ maxConnectionsPerWebhook: 20 })
    const sendAll = (): Promise<readonly { readonly outcome: string }[]> =>
      Promise.all(Array.from({ length: 20 }, () => send(sender, url)))
    for (const { outcome } of await sendAll()) expect(outcome).toBe('delivered')
    for (const { outcome } of await sendAll()) expect(outcome).toBe('delivered')
    expect(requests).toHaveLength(60)
  })

  test('fails the attempt if it does so again', async () => {
    const { url, requests } = await receiverThat((socket, { connection, number }) =>
      connection === 0 && number === 0 ? socket.write(OK) : close(socket),
    )
    const sender = openSender()
    await send(sender, url)
    const failed = { outcome: 'retry', class: 'connection_failed' }
    expect(await send(sender, url)).toMatchObject(failed)
    expect(requests).toHaveLength(3)
    expect(await send(sender, url)).toMatchObject(failed)
    expect(requests).toHaveLength(4)
  })
})

test('a request for a connection reset just before the write goes to a new one', async () => {
  const sockets: Socket[] = []
  const { url, requests } = await receiverThat((socket) => {
    sockets.push(socket)
    socket.write(OK)
  })
  const sender = openSender()
  await send(sender, url)
  const result = Promise.withResolvers<unknown>()
  const destroy = Reflect.get<Socket, 'destroy'>(Socket.prototype, 'destroy')
  const spy = vi.spyOn(Socket.prototype, 'destroy')
  onTestFinished(() => spy.mockRestore())
  spy.mockImplementation(function (this: Socket, error?: Error) {
    destroy.call(this, error)
    // The reset has been read, but undici handles it after this.
    if (!sockets.includes(this)) result.resolve(send(sender, url))
    return this
  })
  sockets[0]!.resetAndDestroy()
  expect(await result.promise).toMatchObject({ outcome: 'delivered' })
  expect(requests.map(({ connection }) => connection)).toEqual([0, 1])
})

test('a connection that breaks after part of a response is not stale: the request is not repeated', async () => {
  const { url, requests } = await receiverThat((socket, { number }) =>
    number === 0 ? socket.write(OK) : socket.end('HTTP/1.1 20'),
  )
  const sender = openSender()
  await send(sender, url)
  const failed = { outcome: 'retry', class: 'connection_failed' }
  expect(await send(sender, url)).toMatchObject(failed)
  expect(requests).toHaveLength(2)
})

test('a repeated request has the deadline of its attempt', async () => {
  let reset = (): void => undefined
  const { url, requests } = await receiverThat((socket, { connection, number }) => {
    if (connection > 0) return
    if (number === 0) socket.write(OK)
    else reset = () => socket.resetAndDestroy()
  })
  const clock = new ManualClock()
  const sender = openSender({ clock, timeoutMs: 5_000 })
  await send(sender, url)
  const result = send(sender, url)
  await expect.poll(() => requests.length).toBe(2)
  clock.advance(4_000)
  reset()
  await expect.poll(() => requests.length).toBe(3)
  clock.advance(1_000)
  expect(await result).toMatchObject({ outcome: 'retry', class: 'timeout' })
})
