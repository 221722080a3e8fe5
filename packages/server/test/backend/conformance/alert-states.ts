import { describe, expect, test } from 'vitest'
import type { OpenBackendHarness } from './backend-harness.ts'

export function alertStatesConformance(open: OpenBackendHarness): void {
  describe('alert states', () => {
    test('are replaced and removed, and survive a restart', async () => {
      await using harness = await open()
      const first = new Map([
        ['a', '1'],
        ['b', '1'],
        ['c', '1'],
      ])
      await harness.backend.alertStates.put(first)
      await harness.backend.alertStates.put(
        new Map([
          ['a', '2'],
          ['b', null],
          ['none', null],
        ]),
      )
      await harness.reopen()
      expect(await harness.backend.alertStates.all()).toEqual(
        new Map([
          ['a', '2'],
          ['c', '1'],
        ]),
      )
    })
  })
}
