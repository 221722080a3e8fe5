import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Behaviour, names, openExchange, until } from '../behaviour.ts'

const SLOW_MS = 300

/** Flushing and closing. */
export const FLUSHING: readonly Behaviour[] = [
  {
    name: 'flush waits for requests in flight',
    async check(client) {
      let responses = 0
      const respond = async () => {
        await sleep(SLOW_MS)
        responses += 1
        return 200
      }
      await using exchange = await openExchange(client, respond)
      await exchange.track(20)
      await exchange.receiver.waitFor(1)
      await exchange.client.flush()
      assert.equal(responses, 1)
    },
  },
  {
    name: 'an overlapping flush waits for everything queued before it',
    async check(client) {
      let responses = 0
      const respond = async () => {
        await sleep(SLOW_MS)
        responses += 1
        return 200
      }
      await using exchange = await openExchange(client, respond)
      await exchange.track(5)
      const first = exchange.client.flush()
      // Awaited at the end: until then, a rejection must not be unhandled.
      first.catch(() => {})
      await exchange.track(5, 5)
      await exchange.client.flush()
      assert.deepEqual(exchange.events, names(10))
      assert.equal(responses, exchange.receiver.requests.length)
      await first
    },
  },
  {
    name: 'flush reports how many calls arrived and how many failed',
    async check(client) {
      // The first batch is still in flight when the flush begins.
      const respond = async (_request: unknown, index: number) => {
        await sleep(SLOW_MS)
        return index === 0 ? 200 : 400
      }
      await using exchange = await openExchange(client, respond, { flushAt: 5 })
      await exchange.track(10)
      const result = (await exchange.client.flush()) as
        { delivered?: number; failed?: number } | undefined
      assert.equal(result?.delivered, 5)
      assert.equal(result?.failed, 5)
    },
  },
  {
    name: 'close sends the queued calls',
    async check(client) {
      await using exchange = await openExchange(client, 200)
      await exchange.track(25)
      await exchange.client.close()
      assert.deepEqual(exchange.events, names(25))
    },
  },
  {
    name: 'close reports calls that did not arrive in time',
    async check(client) {
      await using exchange = await openExchange(client, 503, { maxRetries: 10 })
      await exchange.track(10)
      const closed = await exchange.client.close(1_500).then(
        () => 'resolved',
        () => 'rejected',
      )
      assert.ok(closed === 'rejected' || exchange.client.errors > 0)
    },
  },
  {
    name: 'close may be called twice',
    async check(client) {
      await using exchange = await openExchange(client, 200)
      await exchange.track(5)
      await Promise.all([exchange.client.close(), exchange.client.close()])
      await exchange.client.close()
      assert.deepEqual(exchange.events, names(5))
    },
  },
  {
    name: 'reports a call made after close',
    async check(client) {
      await using exchange = await openExchange(client, 200)
      await exchange.client.close()
      try {
        await exchange.track(1)
      } catch {
        return
      }
      await until(() => exchange.client.errors > 0, 500)
    },
  },
]
