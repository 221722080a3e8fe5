import { describe, expect, test } from 'vitest'
import { NOON } from '../../harness/accepted-event.ts'
import type { OpenBackendHarness } from './backend-harness.ts'

const answer = { key: 'tok_a k', fingerprint: 'f', sealed: 's', expiresAt: NOON + 10 }

export function keptAnswersConformance(open: OpenBackendHarness): void {
  describe('kept answers', () => {
    test('are found until they expire, also after a restart', async () => {
      await using harness = await open()
      await harness.backend.keptAnswers.keep(answer, NOON)
      await harness.reopen()
      const { keptAnswers } = harness.backend
      expect(await keptAnswers.find('tok_a k', NOON + 9)).toEqual(answer)
      expect(await keptAnswers.find('tok_a k', NOON + 10)).toBeUndefined()
      expect(await keptAnswers.find('tok_b k', NOON)).toBeUndefined()
    })

    test('the first of two with one key stays, until it has expired', async () => {
      await using harness = await open()
      const { keptAnswers } = harness.backend
      const other = { ...answer, fingerprint: 'g', expiresAt: NOON + 20 }
      await keptAnswers.keep(answer, NOON)
      await keptAnswers.keep(other, NOON + 9)
      expect(await keptAnswers.find('tok_a k', NOON)).toEqual(answer)
      await keptAnswers.keep(other, NOON + 10)
      expect(await keptAnswers.find('tok_a k', NOON + 10)).toEqual(other)
    })
  })
}
