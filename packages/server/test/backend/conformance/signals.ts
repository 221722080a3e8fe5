import { describe, expect, onTestFinished, test } from 'vitest'
import type { Feed } from '../../../src/backend/signals.ts'
import type { OpenBackendHarness } from './backend-harness.ts'

/** Everything that a follower hears, in its order. */
export class HeardFeed {
  readonly values: object[] = []
  readonly positions: number[] = []
  readonly runs: string[] = []
  missed = 0
  /** The position of the last beginning. */
  begunAt = NaN
  readonly #following: Disposable & { readonly caughtUp: Promise<void> }

  constructor(feed: Feed) {
    this.#following = feed.follow({
      begin: (run, position) => {
        this.runs.push(run)
        this.begunAt = position
        this.values.length = 0
        this.positions.length = 0
      },
      add: (value, position) => {
        this.values.push(value)
        this.positions.push(position)
      },
      miss: (count) => (this.missed += count),
    })
    onTestFinished(() => this.end())
  }

  /** Resolves when it has heard what was kept. */
  static async of(feed: Feed): Promise<HeardFeed> {
    const heard = new HeardFeed(feed)
    await heard.#following.caughtUp
    return heard
  }

  end(): void {
    this.#following[Symbol.dispose]()
  }
}

const numbered = (count: number, first = 0): object[] =>
  Array.from({ length: count }, (_, index) => ({ number: first + index }))

export function signalsConformance(open: OpenBackendHarness): void {
  describe('signals', () => {
    test('a feed is followed from the first follower until the last one has ended', async () => {
      await using harness = await open()
      const { activity } = harness.backend.signals
      expect(activity.isFollowed).toBe(false)
      const [first, second] = [await HeardFeed.of(activity), await HeardFeed.of(activity)]
      first.end()
      expect(activity.isFollowed).toBe(true)
      second.end()
      expect(activity.isFollowed).toBe(false)
    })

    test('each follower hears each value once, in the order of publishing, at growing positions', async () => {
      await using harness = await open()
      const { activity } = harness.backend.signals
      const [first, second] = [await HeardFeed.of(activity), await HeardFeed.of(activity)]
      const values = numbered(1_200)
      for (const value of values) activity.publish(value)
      for (const { values: heard } of [first, second])
        await expect.poll(() => heard).toEqual(values)
      expect(first.positions).toEqual(first.positions.toSorted((a, b) => a - b))
      expect(new Set(first.positions).size).toBe(values.length)
      expect(first.positions[0]).toBeGreaterThan(first.begunAt)
      expect(second.positions).toEqual(first.positions)
      expect(second.runs).toEqual(first.runs)
      expect([first.missed, second.missed]).toEqual([0, 0])
    })

    test('whoever has ended hears nothing any more', async () => {
      await using harness = await open()
      const { activity } = harness.backend.signals
      const [ended, other] = [await HeardFeed.of(activity), await HeardFeed.of(activity)]
      ended.end()
      activity.publish({ number: 1 })
      await expect.poll(() => other.values).toHaveLength(1)
      expect(ended.values).toEqual([])
    })

    test('a feed can be forgotten, also when nobody follows it', async () => {
      await using harness = await open()
      const { activity } = harness.backend.signals
      await activity.forget()
      const heard = await HeardFeed.of(activity)
      await activity.forget()
      activity.publish({ number: 1 })
      await expect.poll(() => heard.values).toEqual([{ number: 1 }])
    })

    test('a node neither hears nor asks itself', async () => {
      await using harness = await open()
      const { signals } = harness.backend
      const heard: unknown[] = []
      signals.onTold('changes', (message) => heard.push(message))
      signals.onRead('counts', (isRead) => heard.push(isRead))
      signals.onAsked('attempts', async () => ({}))
      using _reading = signals.read('counts')
      signals.tell('changes', { id: 'dst_a' })
      expect(await signals.ask('attempts', {})).toEqual([])
      expect(heard).toEqual([])
    })
  })

  describe('nodes', () => {
    test('a node is one of them while it has joined, and has another id after a restart', async () => {
      await using harness = await open()
      const { nodes } = harness.backend
      expect(nodes.current).toEqual([])
      const before = Date.now()
      const joined = await nodes.join({ version: '1.2.3', role: 'deliver' })
      const [node] = nodes.current
      expect(nodes.current).toHaveLength(1)
      expect(node).toMatchObject({ id: nodes.id, version: '1.2.3', role: 'deliver', isAlive: true })
      expect(Math.abs(node!.startedAt - before)).toBeLessThan(60_000)
      expect(node!.seenAt).toBeGreaterThanOrEqual(node!.startedAt)
      await joined[Symbol.asyncDispose]()
      await harness.reopen()
      const again = harness.backend.nodes
      await using _again = await again.join({ version: '1.2.3', role: 'all' })
      expect(again.id).not.toBe(nodes.id)
      expect(again.current.map(({ id }) => id)).toEqual([again.id])
    })
  })
}
