import assert from 'node:assert/strict'
import type { AdaptedClient } from '../client-adapter.ts'
import { type Behaviour, names, openExchange, until } from '../behaviour.ts'

/** Queueing and batching of calls. */
export const QUEUEING: readonly Behaviour[] = [
  {
    name: 'sends calls in batches of the configured size, in the order they were made',
    async check(client) {
      await using exchange = await openExchange(client, 200)
      await exchange.track(60)
      await exchange.client.sendAll()
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
      await exchange.track(20)
      await exchange.client.sendAll()
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
    name: 'sends when its interval has passed, even while calls keep arriving',
    async check(client) {
      await using exchange = await openExchange(client, 200, { flushAt: 1000, flushAfterMs: 300 })
      const calls = setInterval(() => void exchange.track(1), 50)
      await until(() => exchange.receiver.requests.length > 0, 2_000).finally(() =>
        clearInterval(calls),
      )
    },
  },
  {
    name: 'sends the arguments of a call without later changes to them',
    async check(client) {
      await using exchange = await openExchange(client, 200)
      await exchange.client.trackThenChange('0')
      await exchange.client.sendAll()
      assert.deepEqual(exchange.batches[0]?.[0]?.properties, { cart: { items: 1 } })
    },
  },
  {
    name: 'does not lose other calls because of one that JSON cannot represent',
    async check(client) {
      await using exchange = await openExchange(client, 200)
      await exchange.track(1)
      await failsToTrack(exchange.client, 'bad', { n: 1n })
      await exchange.track(1, 1)
      // The check does not require this to settle.
      const flushed = exchange.client.sendAll().catch(() => {})
      const arrived = () => exchange.events.filter((event) => event !== 'bad').length === 2
      await Promise.race([flushed, until(arrived, 5_000)])
      assert.ok(arrived())
    },
  },
  {
    name: 'reports a number that JSON would turn into null',
    async check(client) {
      await using exchange = await openExchange(client, 200)
      const threw = await failsToTrack(exchange.client, '0', { revenue: Number.NaN })
      await exchange.client.sendAll()
      assert.ok(threw || exchange.client.errors > 0)
    },
  },
  {
    name: 'rejects a call over 32 KiB immediately',
    async check(client) {
      await using exchange = await openExchange(client, 200)
      assert.ok(await failsToTrack(exchange.client, '0', { text: 'x'.repeat(33_000) }))
    },
  },
  {
    name: 'never sends a request over 500 KiB, even at close',
    async check(client) {
      await using exchange = await openExchange(client, 200, { flushAt: 100 })
      for (const event of names(60))
        await exchange.client.track(event, { text: 'é'.repeat(15_000) })
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
      await exchange.track(20)
      await exchange.client.sendAll()
      assert.ok(exchange.receiver.requests[0]?.headers['content-encoding'])
    },
  },
]

/** Whether the call itself failed. */
async function failsToTrack(
  client: AdaptedClient,
  event: string,
  properties: object,
): Promise<boolean> {
  try {
    await client.track(event, properties)
    return false
  } catch {
    return true
  }
}
