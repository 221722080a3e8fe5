import { describe, expect, test } from 'vitest'
import {
  afterResult,
  INITIAL_RECOVERY,
  type RecoveryLimit,
} from '../../../src/delivery/lanes/recovery-limit.ts'

const good = { outcome: 'delivered' } as const
const bad = { outcome: 'retry' } as const

function after(
  attempts: readonly (typeof good | typeof bad)[],
  concurrency = 64,
): RecoveryLimit | undefined {
  return attempts.reduce<RecoveryLimit | undefined>(
    (recovery, attempt) => recovery && afterResult(recovery, attempt, { now: 0, concurrency }),
    { ...INITIAL_RECOVERY, since: 0 },
  )
}

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value)

describe('a recovering lane', () => {
  test('begins with one attempt at a time and grows by one per 20 successes', () => {
    expect(INITIAL_RECOVERY.limit).toBe(1)
    expect(after(times(19, good))?.limit).toBe(1)
    expect(after(times(20, good))?.limit).toBe(2)
    expect(after(times(200, good))?.limit).toBe(11)
  })

  test('is halved by a failure, but is at least one', () => {
    expect(after([...times(200, good), bad])?.limit).toBe(5)
    expect(after(times(9, bad))?.limit).toBe(1)
  })

  test('is over when it has reached the concurrency of the lane', () => {
    expect(after(times(59, good), 4)?.limit).toBe(3)
    expect(after(times(60, good), 4)).toBeUndefined()
  })

  test('counts a rejection as a success: the receiver responded', () => {
    const recovery = { limit: 8, successes: 19, since: 0 }
    const at = { now: 0, concurrency: 64 }
    expect(afterResult(recovery, { outcome: 'rejected' }, at)?.limit).toBe(9)
  })

  test('of a receiver that takes seconds grows by one a second, and reaches 64 in about a minute', () => {
    let recovery: RecoveryLimit | undefined = { ...INITIAL_RECOVERY, since: 0 }
    let now = 0
    while (recovery !== undefined) {
      // As many responses come in 4.5 s as there are attempts in flight.
      now += 4_500 / recovery.limit
      recovery = afterResult(recovery, good, { now, concurrency: 64 })
    }
    expect(now).toBeGreaterThan(60_000)
    expect(now).toBeLessThan(90_000)
  })
})
