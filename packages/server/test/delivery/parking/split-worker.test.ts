import { expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { TestEngine } from '@hookline/testing/engine/test-engine'

/** More than one slice. */
const MANY = 300

async function beginAgain(engine: TestEngine): Promise<void> {
  for (const { id } of await engine.deliveries({}))
    expect(await engine.backend.replays.retry(id, Date.now())).toBe(true)
  engine.engine.wake()
}

test('retried deliveries are split into parts, slice by slice, and delivered', async () => {
  await using receiver = await openReceiver()
  // On a slow machine, 300 attempts take a while, and attempts that time out are retried.
  await using engine = await TestEngine.open({ sender: { timeoutMs: 60_000 } })
  await engine.destination('dst_a', receiver.url)
  await engine.receive(MANY)
  await expect.poll(() => engine.deliveries({})).toHaveLength(MANY)
  await beginAgain(engine)
  await receiver.waitFor(2 * MANY)
  await expect
    .poll(async () => (await engine.deliveries({})).every(({ state }) => state === 'delivered'))
    .toBe(true)
  expect(receiver.requests).toHaveLength(2 * MANY)
})

test('retried deliveries to a removed destination are rejected', async () => {
  await using receiver = await openReceiver()
  await using engine = await TestEngine.open()
  await engine.destination('dst_a', receiver.url)
  await engine.receive(2)
  await expect.poll(() => engine.deliveries({})).toHaveLength(2)
  await engine.backend.catalog.removeDestination('dst_a')
  await beginAgain(engine)
  await expect
    .poll(async () => (await engine.deliveries({})).map(({ state }) => state))
    .toEqual(['rejected', 'rejected'])
  expect(receiver.requests).toHaveLength(2)
})
