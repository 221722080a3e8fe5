import { expect, onTestFinished, test } from 'vitest'
import { nextTurn } from '../../../src/util/time/clock.ts'
import { openSender, requestTo } from '@hookline/testing/engine/open-sender'
import {
  openReceiver,
  type Receiver,
  type ReceiverOptions,
} from '@hookline/testing/receiver/receiver'

const MAX_SOCKETS = 3

async function receivers(count: number, options: ReceiverOptions = {}): Promise<Receiver[]> {
  const open = await Promise.all(Array.from({ length: count }, () => openReceiver(options)))
  onTestFinished(async () => {
    for (const receiver of open) await receiver[Symbol.asyncDispose]()
  })
  return open
}

const openAt = (to: readonly Receiver[]): number[] => to.map((receiver) => receiver.openConnections)

test('the sockets that have been idle longest are closed to make room for others', async () => {
  const to = await receivers(5)
  const sender = openSender({ maxSockets: MAX_SOCKETS })
  const send = async (index: number) => {
    expect(await sender.send(requestTo(to[index]!.url))).toMatchObject({ outcome: 'delivered' })
    // undici reports the socket as idle only after this.
    await nextTurn()
  }
  for (const index of [0, 1, 2]) await send(index)
  expect(openAt(to)).toEqual([1, 1, 1, 0, 0])
  await send(0)
  await send(3)
  await send(4)
  await expect.poll(() => openAt(to)).toEqual([1, 0, 0, 1, 1])
  await send(1)
  await expect.poll(() => openAt(to)).toEqual([0, 1, 0, 1, 1])
})

test('a socket with an attempt in flight is never closed to make room', async () => {
  const released = Promise.withResolvers<200>()
  const slow = await receivers(MAX_SOCKETS, { respond: () => released.promise })
  const [fast] = await receivers(1)
  const sender = openSender({ maxSockets: MAX_SOCKETS })
  const inFlight = slow.map(({ url }) => sender.send(requestTo(url)))
  await Promise.all(slow.map((receiver) => receiver.waitFor(1)))
  expect(await sender.send(requestTo(fast!.url))).toMatchObject({ outcome: 'delivered' })
  released.resolve(200)
  for (const result of await Promise.all(inFlight)) expect(result.outcome).toBe('delivered')
})
