import { describe, expect, test } from 'vitest'
import { NOON } from '@hookline/testing/records/accepted-event'
import { auditEntryOf as entry } from '@hookline/testing/records/audit-entry'
import type { OpenBackendHarness } from './backend-harness.ts'

export function auditConformance(open: OpenBackendHarness): void {
  describe('the audit log', () => {
    test('lists entries unchanged, newest first, across a restart', async () => {
      await using harness = await open()
      const [a, b] = [entry('adt_b'), entry('adt_a', { targetId: null, before: {}, after: null })]
      for (const each of [a, b]) await harness.backend.audit.append(each)
      await harness.reopen()
      const { data, nextCursor } = await harness.backend.audit.list({}, { limit: 2 })
      expect(data).toEqual([b, a])
      expect(nextCursor).toBeNull()
    })

    test('removes its oldest entries slice by slice, and no newer ones', async () => {
      await using harness = await open()
      const { audit } = harness.backend
      const old = Array.from({ length: 600 }, (_, index) => entry(`adt_${index}`))
      const young = entry('adt_young', { at: NOON + 1 })
      await Promise.all([...old, young].map((each) => audit.append(each)))
      let removed = 0
      for (let slice = -1; slice !== 0; removed += slice) {
        slice = await audit.removeBefore(NOON + 1)
        expect(slice).toBeLessThan(600)
      }
      expect(removed).toBe(600)
      expect((await audit.list({}, { limit: 9 })).data).toEqual([young])
      await audit.append(entry('adt_next', { at: NOON + 2 }))
      expect((await audit.list({}, { limit: 9 })).data.map(({ id }) => id)).toEqual([
        'adt_next',
        'adt_young',
      ])
    })

    test('filters by actor, action and target together', async () => {
      await using harness = await open()
      const entries = [
        entry('adt_1'),
        entry('adt_2', { action: 'removeSource' }),
        entry('adt_3', { targetId: 'src_b' }),
        entry('adt_4', { actor: { id: 'admin-token', name: 'x', role: 'admin' } }),
      ]
      for (const each of entries) await harness.backend.audit.append(each)
      const ids = async (filter: object) =>
        (await harness.backend.audit.list(filter, { limit: 9 })).data.map(({ id }) => id)
      expect(await ids({ actorId: 'admin-token' })).toEqual(['adt_4'])
      expect(await ids({ action: 'removeSource' })).toEqual(['adt_2'])
      expect(await ids({ targetId: 'src_a', actorId: 'tok_a' })).toEqual(['adt_2', 'adt_1'])
    })

    test('pages without gaps or repeats while entries are added', async () => {
      await using harness = await open()
      for (const id of ['adt_1', 'adt_2', 'adt_3']) await harness.backend.audit.append(entry(id))
      const first = await harness.backend.audit.list({}, { limit: 2 })
      await harness.backend.audit.append(entry('adt_4'))
      const cursor = first.nextCursor!
      const second = await harness.backend.audit.list({}, { limit: 2, cursor })
      expect([...first.data, ...second.data].map(({ id }) => id)).toEqual([
        'adt_3',
        'adt_2',
        'adt_1',
      ])
      expect(second.nextCursor).toBeNull()
    })
  })
}
