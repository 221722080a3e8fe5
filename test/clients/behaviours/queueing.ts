import assert from 'node:assert/strict'
import { type Behaviour, names, openExchange, until } from '../behaviour.ts'

/** Queueing and batching of calls. */
export const QUEUEING: readonly Behaviour[] = [
  {
    name: 'sends calls in batches of the configured size, in the order they were made',
    async check(client) {
      await using exchange = await openExchange(client, 200)
      exchange.track(60)
      await exchange.client.flush()
      assert.deepEqual(exchange.events, names(60))
      assert.deepEqual(
        exchange.batches.map((batch) => batch.length),
        [20, 20, 20],
      )
    },
  },
  {
    name: 'keeps the order of calls when it retries a request',
    async check(client) {
      await using exchange = await openExchange(client, [503, 200], { flushAt: 5 })
      exchange.track(20)
      await exchange.client.flush()
      assert.deepEqual(
        [
          ...new Set(
            exchange.batches
              .slice(1)
              .flat()
              .map(({ event }) => event),
          ),
        ],
        names(20),
      )
    },
  },
  {
    name: 'sends when its interval has passed, even if calls keep coming',
    async check(client) {
      await using exchange = await openExchange(client, 200, { flushAt: 1000, flushAfterMs: 300 })
      const calls = setInterval(() => exchange.track(1), 50)
      await until(() => exchange.receiver.requests.length > 0, 2_000).finally(() =>
        clearInterval(calls),
      )
    },
  },
  {
    name: 'sends the arguments of a call without later changes to them',
    async check(client) {
      await using exchange = await openExchange(client, 200)
      const properties = { cart: { items: 1 } }
      exchange.client.track('0', properties)
      properties.cart.items = 2
      await exchange.client.flush()
      assert.deepEqual(exchange.batches[0]?.[0]?.properties, { cart: { items: 1 } })
    },
  },
  {
    name: 'loses no other call because of one that JSON cannot represent',
    async check(client) {
      await using exchange = await openExchange(client, 200)
      exchange.track(1)
      ignoringThrow(() => exchange.client.track('bad', { n: 1n }))
      exchange.track(1, 1)
      // This check does not require the flush to end.
      const flushed = exchange.client.flush().catch(() => {})
      const arrived = () => exchange.events.filter((event) => event !== 'bad').length === 2
      await Promise.race([flushed, until(arrived, 5_000)])
      assert.ok(arrived())
    },
  },
  {
    name: 'reports a number that JSON would turn into null',
    async check(client) {
      await using exchange = await openExchange(client, 200)
      const threw = ignoringThrow(() => exchange.client.track('0', { revenue: Number.NaN }))
      await exchange.client.flush()
      assert.ok(threw || exchange.client.errors > 0)
    },
  },
  {
    name: 'refuses a call over 32 KB when it is made',
    async check(client) {
      await using exchange = await openExchange(client, 200)
      assert.ok(ignoringThrow(() => exchange.client.track('0', { text: 'x'.repeat(33_000) })))
    },
  },
  {
    name: 'sends no request over 500 KB, also at close',
    async check(client) {
      await using exchange = await openExchange(client, 200, { flushAt: 100 })
      for (const event of names(60)) exchange.client.track(event, { text: 'é'.repeat(15_000) })
      await exchange.client.close()
      const bytes = exchange.batches.map((batch) => Buffer.byteLength(JSON.stringify({ batch })))
      assert.ok(Math.max(...bytes) <= 512_000)
      assert.deepEqual(exchange.events.toSorted(), names(60).toSorted())
    },
  },
  {
    name: 'compresses a large request',
    async check(client) {
      await using exchange = await openExchange(client, 200)
      exchange.track(20)
      await exchange.client.flush()
      assert.ok(exchange.receiver.requests[0]?.headers['content-encoding'])
    },
  },
]

function ignoringThrow(call: () => void): boolean {
  try {
    call()
    return false
  } catch {
    return true
  }
}
