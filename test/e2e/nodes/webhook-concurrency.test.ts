import { expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { startNodes } from './start-nodes.ts'

/** Delays responses until they are released, and counts concurrent requests. */
class HeldRequests {
  most = 0
  #open = 0
  #isHeld = true
  readonly #waiting: (() => void)[] = []

  get open(): number {
    return this.#open
  }

  respond = async (): Promise<200> => {
    this.#open += 1
    this.most = Math.max(this.most, this.#open)
    if (this.#isHeld) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#open -= 1
    return 200
  }

  letGo(): void {
    this.#isHeld = false
    for (const end of this.#waiting.splice(0)) end()
  }
}

/** Long timeout, so that requests wait for the test. */
const SETTINGS = { maxConcurrencyPerWebhook: '5', attemptTimeoutMs: '1m' }

test('a receiver gets the configured number of concurrent requests in total from all nodes', async () => {
  const held = new HeldRequests()
  await using receiver = await openReceiver({ respond: held.respond })
  const nodes = await startNodes(2, SETTINGS)
  await nodes[0]!.createDestination({ urls: [receiver.url] })
  const ids = Array.from({ length: 200 }, (_, index) => `m-${index}`)
  await Promise.all(ids.map((id, index) => nodes[index % 2]!.track(id)))
  await expect.poll(() => held.open).toBe(5)
  held.letGo()
  await expect.poll(() => receiver.requests.length).toBe(200)
  expect(held.most).toBeLessThanOrEqual(5)
})

test('the remaining node gets the whole concurrency within seconds of the other leaving', async () => {
  const held = new HeldRequests()
  await using receiver = await openReceiver({ respond: held.respond })
  const nodes = await startNodes(2, SETTINGS)
  await nodes[1]!.stop()
  await nodes[0]!.createDestination({ urls: [receiver.url] })
  for (let index = 0; index < 20; index++) await nodes[0]!.track(`m-${index}`)
  await expect.poll(() => held.open).toBe(5)
  held.letGo()
  await expect.poll(() => receiver.requests.length).toBe(20)
})
