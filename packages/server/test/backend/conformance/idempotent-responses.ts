import { describe, expect, test } from 'vitest'
import { NOON } from '@hookline/testing/records/accepted-event'
import type { OpenBackendHarness } from './backend-harness.ts'

const answer = { key: 'tok_a k', fingerprint: 'f', sealed: 's', expiresAt: NOON + 10 }

export function idempotentResponsesConformance(open: OpenBackendHarness): void {
  describe('idempotent responses', () => {
    test('are found until they expire, even after a restart', async () => {
      await using harness = await open()
      await harness.backend.idempotentResponses.add({ response: answer, now: NOON })
      await harness.reopen()
      const { idempotentResponses } = harness.backend
      expect(await idempotentResponses.find('tok_a k', NOON + 9)).toEqual(answer)
      expect(await idempotentResponses.find('tok_a k', NOON + 10)).toBeUndefined()
      expect(await idempotentResponses.find('tok_b k', NOON)).toBeUndefined()
    })

    test('are reserved for one request at a time', async () => {
      await using harness = await open()
      const { idempotentResponses } = harness.backend
      const times = { now: NOON, until: NOON + 60_000 }
      const reserved = await Promise.all(
        [1, 2, 3].map(() => idempotentResponses.reserve('k', times)),
      )
      expect(reserved.filter(Boolean)).toHaveLength(1)
      expect(await idempotentResponses.reserve('other', times)).toBe(true)
      await idempotentResponses.release('k')
      await idempotentResponses.release('k')
      expect(await idempotentResponses.reserve('k', times)).toBe(true)
    })

    test('are not reserved while an unexpired response is stored', async () => {
      await using harness = await open()
      const { idempotentResponses } = harness.backend
      await idempotentResponses.add({ response: answer, now: NOON })
      const reserve = (now: number) =>
        idempotentResponses.reserve(answer.key, { now, until: now + 60_000 })
      expect(await reserve(NOON)).toBe(false)
      expect(await reserve(answer.expiresAt)).toBe(true)
    })

    test('are not replaced by another with the same key until they expire', async () => {
      await using harness = await open()
      const { idempotentResponses } = harness.backend
      const other = { ...answer, fingerprint: 'g', expiresAt: NOON + 20 }
      await idempotentResponses.add({ response: answer, now: NOON })
      await idempotentResponses.add({ response: other, now: NOON + 9 })
      expect(await idempotentResponses.find('tok_a k', NOON)).toEqual(answer)
      await idempotentResponses.add({ response: other, now: NOON + 10 })
      expect(await idempotentResponses.find('tok_a k', NOON + 10)).toEqual(other)
    })
  })
}
