import { expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { startNodes } from './start-nodes.ts'

test('perSecond limits the attempts on all nodes together', async () => {
  const times: number[] = []
  const respond = () => {
    times.push(performance.now())
    return 200 as const
  }
  await using receiver = await openReceiver({ respond })
  const nodes = await startNodes(2)
  const webhooks = [{ url: receiver.url, limits: { perSecond: 20 } }]
  await nodes[0]!.createDestination({ webhooks })
  const ids = Array.from({ length: 100 }, (_, index) => `m-${index}`)
  await Promise.all(ids.map((id, index) => nodes[index % 2]!.track(id)))
  await expect.poll(() => receiver.requests.length, { timeout: 20_000 }).toBe(100)
  // 100 attempts at 20 per second take 5 s, or less if the first request arrives late.
  const seconds = (times.at(-1)! - times[0]!) / 1_000
  expect(seconds).toBeGreaterThan(4)
})
