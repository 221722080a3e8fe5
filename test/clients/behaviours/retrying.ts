import assert from 'node:assert/strict'
import type { Answer } from '../../../packages/server/test/harness/receiver-answer.ts'
import { type Behaviour, names, openStage } from '../behaviour.ts'

const retries = (what: string, first: Answer, options = {}): Behaviour => ({
  name: `tries again after ${what}, with the same messageIds`,
  async check(client) {
    await using stage = await openStage(client, [first, 200], options)
    stage.track(5)
    await stage.client.flush()
    const [before, after] = stage.batches.map((batch) => batch.map(({ messageId }) => messageId))
    assert.equal(after?.length, 5)
    assert.deepEqual(after, before)
    assert.equal(stage.client.errors, 0)
  },
})

const waits = (what: string, header: () => string): Behaviour => ({
  name: `waits as long as Retry-After says in ${what}`,
  async check(client) {
    const at: number[] = []
    const respond = (_request: unknown, index: number) => {
      at.push(performance.now())
      return index === 0 ? { status: 429, headers: { 'Retry-After': header() } } : 200
    }
    await using stage = await openStage(client, respond)
    stage.track(5)
    await stage.client.flush()
    assert.equal(at.length, 2)
    // A date has whole seconds, and points at least one ahead.
    assert.ok(at[1]! - at[0]! >= 950)
  },
})

const never = (status: number): Behaviour => ({
  name: `does not repeat a request answered ${status}, and tells of it`,
  async check(client) {
    await using stage = await openStage(client, status)
    stage.track(5)
    await stage.client.flush()
    assert.equal(stage.receiver.requests.length, 1)
    assert.ok(stage.client.errors > 0)
  },
})

/** What is tried again, when, and what is told where that does not help. */
export const RETRYING: readonly Behaviour[] = [
  retries('500', 500),
  retries('503', 503),
  retries('408', 408),
  retries('425', 425),
  retries('a connection that was reset', 'reset'),
  retries('a server that hangs', 'silence', { timeoutMs: 500 }),
  waits('seconds', () => '1'),
  waits('a date', () => new Date(Date.now() + 2_500).toUTCString()),
  never(400),
  never(401),
  {
    name: 'tells of each message that the service rejected in a 200',
    async check(client) {
      const rejected = [1, 3].map((index) => ({
        index,
        messageId: `m${index}`,
        code: 'c',
        message: 'm',
      }))
      await using stage = await openStage(client, {
        body: JSON.stringify({ success: true, rejected }),
      })
      stage.track(5)
      await stage.client.flush()
      assert.equal(stage.client.errors, 2)
    },
  },
  {
    name: 'goes on with the next batch after one that failed',
    async check(client) {
      await using stage = await openStage(client, [400, 200], { flushAt: 5 })
      stage.track(15)
      await stage.client.flush()
      assert.deepEqual(stage.events.toSorted(), names(15).toSorted())
    },
  },
]
