import assert from 'node:assert/strict'
import type { ReceiverResponse } from '@hookline/testing/receiver/receiver-response'
import { type Behaviour, names, openExchange } from '../behaviour.ts'

const retries = (failure: string, first: ReceiverResponse, options = {}): Behaviour => ({
  name: `retries after ${failure}, with the same messageIds`,
  async check(client) {
    await using exchange = await openExchange(client, [first, 200], options)
    await exchange.track(5)
    await exchange.client.sendAll()
    const [before, after] = exchange.batches.map((batch) => batch.map(({ messageId }) => messageId))
    assert.equal(after?.length, 5)
    assert.deepEqual(after, before)
    assert.equal(exchange.client.errors, 0)
  },
})

const waits = (form: string, header: () => string): Behaviour => ({
  name: `waits for the duration of a Retry-After in ${form}`,
  async check(client) {
    const at: number[] = []
    const respond = (_request: unknown, index: number) => {
      at.push(performance.now())
      return index === 0 ? { status: 429, headers: { 'Retry-After': header() } } : 200
    }
    await using exchange = await openExchange(client, respond)
    await exchange.track(5)
    await exchange.client.sendAll()
    assert.equal(at.length, 2)
    // A date has a resolution of one second, so it is at least one second ahead.
    assert.ok(at[1]! - at[0]! >= 950)
  },
})

const never = (status: number): Behaviour => ({
  name: `does not repeat a request after ${status}, and reports the failure`,
  async check(client) {
    await using exchange = await openExchange(client, status)
    await exchange.track(5)
    await exchange.client.sendAll()
    assert.equal(exchange.receiver.requests.length, 1)
    assert.ok(exchange.client.errors > 0)
  },
})

/** Which requests are retried and when, and which failures are reported. */
export const RETRYING: readonly Behaviour[] = [
  retries('500', 500),
  retries('503', 503),
  retries('408', 408),
  retries('425', 425),
  retries('a connection reset', 'reset'),
  retries('a timeout', 'silence', { timeoutMs: 500 }),
  waits('seconds', () => '1'),
  waits('date format', () => new Date(Date.now() + 2_500).toUTCString()),
  never(400),
  never(401),
  {
    name: 'reports each call that the service rejected in a 200',
    async check(client) {
      const rejected = [1, 3].map((index) => ({
        index,
        messageId: `m${index}`,
        code: 'c',
        message: 'm',
      }))
      await using exchange = await openExchange(client, {
        body: JSON.stringify({ success: true, rejected }),
      })
      await exchange.track(5)
      await exchange.client.sendAll()
      assert.equal(exchange.client.errors, 2)
    },
  },
  {
    name: 'continues with the next batch after a failed one',
    async check(client) {
      await using exchange = await openExchange(client, [400, 200], { flushAt: 5 })
      await exchange.track(15)
      await exchange.client.sendAll()
      assert.deepEqual(exchange.events.toSorted(), names(15).toSorted())
    },
  },
]
