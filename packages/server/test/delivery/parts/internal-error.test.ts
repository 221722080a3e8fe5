import type { SuccessPolicy, WebhooksSettings } from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { TestEngine } from '@hookline/testing/engine/test-engine'

/** Headers that Hookline never stores. They make the sender throw, like a bug. */
const BROKEN = null as unknown as Record<string, string>

const settingsOf = (
  successPolicy: SuccessPolicy,
  webhooks: WebhooksSettings['webhooks'],
): WebhooksSettings => ({ sharedSecret: null, webhooks, successPolicy })

describe('an attempt stopped by a bug', () => {
  test.for([
    ['each', 'rejected'],
    ['any', 'delivered'],
  ] as const)(
    'is rejected immediately, and the other webhooks get the event: policy %s',
    async ([policy, state]) => {
      await using receiver = await openReceiver()
      await using engine = await TestEngine.open()
      const [healthy, broken] = [`${receiver.url}/healthy`, `${receiver.url}/broken`]
      const webhooks = [
        { url: healthy, headers: {} },
        { url: broken, headers: BROKEN },
      ]
      await engine.destination('dst_a', '', { settings: settingsOf(policy, webhooks) })
      await engine.receive(20)
      await receiver.waitFor(20)
      await expect
        .poll(async () => (await engine.deliveries({})).map((each) => each.state))
        .toEqual(Array.from({ length: 20 }, () => state))
      for (const { webhooks: parts, attempts } of await engine.deliveries({})) {
        expect(parts.map((part) => [part.state, part.lastAttempt?.class])).toEqual([
          ['delivered', 'delivered'],
          ['rejected', 'internal_error'],
        ])
        const error = attempts.find(({ url }) => url === broken)!.error
        expect(error).toBe(
          'A bug in Hookline stopped the attempt (TypeError). See the log for details.',
        )
      }
      expect(receiver.requests.map(({ path }) => path)).toEqual(
        Array.from({ length: 20 }, () => '/hook/healthy'),
      )
    },
  )

  test('is logged with its error, is not attributed to the receiver, and can be retried', async () => {
    using folder = new TemporaryFolder()
    await using receiver = await openReceiver()
    {
      await using engine = await TestEngine.open({}, folder)
      const settings = settingsOf('any', [{ url: receiver.url, headers: BROKEN }])
      await engine.destination('dst_a', '', { settings })
      await engine.receive(12)
      const states = async () => (await engine.deliveries({})).map(({ state }) => state)
      await expect.poll(states).toEqual(Array.from({ length: 12 }, () => 'rejected'))
      const lines = engine.logged.filter(({ msg }) => msg === 'attempt.crashed')
      expect(lines).toHaveLength(12)
      expect(lines[0]).toMatchObject({ err: { type: 'TypeError' } })
      expect(engine.openBreakers).toBe(0)
    }
    // The log entries are acked, so they are not redelivered after a restart.
    await using engine = await TestEngine.open({}, folder)
    await engine.destination('dst_a', receiver.url, { version: 2 })
    const [delivery] = await engine.deliveries({})
    expect(await engine.backend.replays.retry(delivery!.id, Date.now())).toBe(true)
    engine.engine.wake()
    await receiver.waitFor(1)
    await engine.settled()
    expect(receiver.requests).toHaveLength(1)
  })
})
