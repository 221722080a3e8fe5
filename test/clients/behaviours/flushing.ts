import assert from 'node:assert/strict'
import { type Behaviour, names, openStage, until, wait } from '../behaviour.ts'

const SLOW_MS = 300

/** What flush and close promise. */
export const FLUSHING: readonly Behaviour[] = [
  {
    name: 'flush waits for what is in flight',
    async check(client) {
      let answered = 0
      const respond = async () => {
        await wait(SLOW_MS)
        answered += 1
        return 200
      }
      await using stage = await openStage(client, respond)
      stage.track(20)
      await stage.receiver.waitFor(1)
      await stage.client.flush()
      assert.equal(answered, 1)
    },
  },
  {
    name: 'an overlapping flush waits for everything queued before it',
    async check(client) {
      let answered = 0
      const respond = async () => {
        await wait(SLOW_MS)
        answered += 1
        return 200
      }
      await using stage = await openStage(client, respond)
      stage.track(5)
      const first = stage.client.flush()
      stage.track(5, 5)
      await stage.client.flush()
      assert.deepEqual(stage.events, names(10))
      assert.equal(answered, stage.receiver.requests.length)
      await first
    },
  },
  {
    name: 'flush says how many calls arrived and how many failed',
    async check(client) {
      await using stage = await openStage(client, [200, 400], { flushAt: 5 })
      stage.track(10)
      const result = (await stage.client.flush()) as
        { delivered?: number; failed?: number } | undefined
      assert.equal(result?.delivered, 5)
      assert.equal(result?.failed, 5)
    },
  },
  {
    name: 'close sends what waits',
    async check(client) {
      await using stage = await openStage(client, 200)
      stage.track(25)
      await stage.client.close()
      assert.deepEqual(stage.events, names(25))
    },
  },
  {
    name: 'close tells when something did not arrive in time',
    async check(client) {
      await using stage = await openStage(client, 503, { maxRetries: 10 })
      stage.track(10)
      const closed = await stage.client.close(1_500).then(
        () => 'resolved',
        () => 'rejected',
      )
      assert.ok(closed === 'rejected' || stage.client.errors > 0)
    },
  },
  {
    name: 'close may be called twice',
    async check(client) {
      await using stage = await openStage(client, 200)
      stage.track(5)
      await Promise.all([stage.client.close(), stage.client.close()])
      await stage.client.close()
      assert.deepEqual(stage.events, names(5))
    },
  },
  {
    name: 'tells of a call made after close',
    async check(client) {
      await using stage = await openStage(client, 200)
      await stage.client.close()
      try {
        stage.track(1)
      } catch {
        return
      }
      await until(() => stage.client.errors > 0, 500)
    },
  },
]
