import assert from 'node:assert/strict'
import { type Behaviour, names, openStage, until } from '../behaviour.ts'

/** How calls are taken. */
export const QUEUEING: readonly Behaviour[] = [
  {
    name: 'sends calls in batches of the size it was given, in their order',
    async check(client) {
      await using stage = await openStage(client, 200)
      stage.track(60)
      await stage.client.flush()
      assert.deepEqual(stage.events, names(60))
      assert.deepEqual(
        stage.batches.map((batch) => batch.length),
        [20, 20, 20],
      )
    },
  },
  {
    name: 'keeps the order of calls when a request has to be tried again',
    async check(client) {
      await using stage = await openStage(client, [503, 200], { flushAt: 5 })
      stage.track(20)
      await stage.client.flush()
      assert.deepEqual(
        [
          ...new Set(
            stage.batches
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
    name: 'sends when its interval has passed, however often it is called meanwhile',
    async check(client) {
      await using stage = await openStage(client, 200, { flushAt: 1000, flushAfterMs: 300 })
      const calls = setInterval(() => stage.track(1), 50)
      await until(() => stage.receiver.requests.length > 0, 2_000).finally(() =>
        clearInterval(calls),
      )
    },
  },
  {
    name: 'sends what a call was given, not what that became later',
    async check(client) {
      await using stage = await openStage(client, 200)
      const properties = { cart: { items: 1 } }
      stage.client.track('0', properties)
      properties.cart.items = 2
      await stage.client.flush()
      assert.deepEqual(stage.batches[0]?.[0]?.properties, { cart: { items: 1 } })
    },
  },
  {
    name: 'loses no other call by one that JSON cannot carry',
    async check(client) {
      await using stage = await openStage(client, 200)
      stage.track(1)
      ignoringThrow(() => stage.client.track('bad', { n: 1n }))
      stage.track(1, 1)
      // Whether that flush ends is not the question here.
      const flushed = stage.client.flush().catch(() => {})
      const arrived = () => stage.events.filter((event) => event !== 'bad').length === 2
      await Promise.race([flushed, until(arrived, 5_000)])
      assert.ok(arrived())
    },
  },
  {
    name: 'tells of a number that JSON would turn into null',
    async check(client) {
      await using stage = await openStage(client, 200)
      const threw = ignoringThrow(() => stage.client.track('0', { revenue: Number.NaN }))
      await stage.client.flush()
      assert.ok(threw || stage.client.errors > 0)
    },
  },
  {
    name: 'refuses a call over 32 KB where it is made',
    async check(client) {
      await using stage = await openStage(client, 200)
      assert.ok(ignoringThrow(() => stage.client.track('0', { text: 'x'.repeat(33_000) })))
    },
  },
  {
    name: 'sends no request over 500 KB, also at close',
    async check(client) {
      await using stage = await openStage(client, 200, { flushAt: 100 })
      for (const event of names(60)) stage.client.track(event, { text: 'é'.repeat(15_000) })
      await stage.client.close()
      const bytes = stage.batches.map((batch) => Buffer.byteLength(JSON.stringify({ batch })))
      assert.ok(Math.max(...bytes) <= 512_000)
      assert.deepEqual(stage.events.toSorted(), names(60).toSorted())
    },
  },
  {
    name: 'compresses a large request',
    async check(client) {
      await using stage = await openStage(client, 200)
      stage.track(20)
      await stage.client.flush()
      assert.ok(stage.receiver.requests[0]?.headers['content-encoding'])
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
