import { describe, expect, test } from 'vitest'
import {
  afterResult,
  initialRecovery,
  type RecoveryLimit,
} from '../../../src/delivery/lanes/lane.ts'

const good = { outcome: 'delivered', begunAt: 0 } as const
const bad = { outcome: 'retry', begunAt: 0 } as const

function after(
  attempts: readonly (typeof good | typeof bad)[],
  concurrency = 64,
): RecoveryLimit | undefined {
  const at = { now: 0, concurrency, isBinding: true }
  return attempts.reduce<RecoveryLimit | undefined>(
    (recovery, attempt) => recovery && afterResult(recovery, attempt, at),
    initialRecovery(0),
  )
}

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value)

describe('the limit of a recovering lane', () => {
  test('begins with one attempt at a time and grows by one per 20 successes', () => {
    expect(initialRecovery(0).limit).toBe(1)
    expect(after(times(19, good))?.limit).toBe(1)
    expect(after(times(20, good))?.limit).toBe(2)
    expect(after(times(200, good))?.limit).toBe(11)
  })

  test('is halved by a failure, but never below one', () => {
    expect(after([...times(200, good), bad])?.limit).toBe(5)
    expect(after(times(9, bad))?.limit).toBe(1)
  })

  test('is halved once by the failures in one round trip', () => {
    const at = { now: 100, concurrency: 64, isBinding: true }
    const halved = afterResult(after(times(200, good))!, { ...bad, begunAt: 90 }, at)!
    expect(afterResult(halved, { ...bad, begunAt: 95 }, { ...at, now: 105 })?.limit).toBe(5)
    expect(afterResult(halved, { ...bad, begunAt: 101 }, { ...at, now: 110 })?.limit).toBe(2)
  })

  test('grows slowly near the limit that failed, and fast again above it', () => {
    const steps: number[] = []
    let recovery = after([...times(380, good), bad])!
    let [count, limit] = [0, recovery.limit]
    while (recovery.limit < 25) {
      recovery = afterResult(recovery, good, { now: 0, concurrency: 64, isBinding: true })!
      count++
      if (recovery.limit > limit) {
        steps.push(count)
        ;[count, limit] = [0, recovery.limit]
      }
    }
    // From 10 to 17, then to 22 (two above 20), then to 25.
    expect(steps).toEqual([...times(7, 20), ...times(5, 1_000), ...times(3, 20)])
  })

  test('does not grow while the pace keeps the lane below the limit', () => {
    const at = { now: 5_000, concurrency: 64, isBinding: false }
    expect(afterResult(after(times(19, good))!, good, at)?.limit).toBe(1)
    expect(afterResult(after(times(60, good))!, bad, at)?.limit).toBe(2)
  })

  test('ends when it reaches the concurrency of the lane', () => {
    expect(after(times(59, good), 4)?.limit).toBe(3)
    expect(after(times(60, good), 4)).toBeUndefined()
  })

  test('counts a rejection as a success, because the receiver responded', () => {
    const recovery = { ...initialRecovery(0), limit: 8, successes: 19 }
    const at = { now: 0, concurrency: 64, isBinding: true }
    expect(afterResult(recovery, { outcome: 'rejected', begunAt: 0 }, at)?.limit).toBe(9)
  })

  test('of a receiver that takes seconds to respond grows by one per second, and reaches 64 in about a minute', () => {
    let recovery: RecoveryLimit | undefined = initialRecovery(0)
    let now = 0
    while (recovery !== undefined) {
      // As many responses arrive in 4.5 s as there are attempts in flight.
      now += 4_500 / recovery.limit
      recovery = afterResult(recovery, good, { now, concurrency: 64, isBinding: true })
    }
    expect(now).toBeGreaterThan(60_000)
    expect(now).toBeLessThan(90_000)
  })
})
