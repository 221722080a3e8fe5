import { describe, expect, test } from 'vitest'
import { openClusterBackend } from '../../../src/backend/cluster/open.ts'
import { auditEntryOf } from '@hookline/testing/records/audit-entry'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { auditConformance } from '../conformance/audit.ts'
import { openClusterHarness } from './open-cluster-harness.ts'

describe.skipIf(clusterSkipReason() !== undefined)('on a cluster', () => {
  auditConformance(openClusterHarness)

  test('every node lists the audit entries from all nodes', async () => {
    await using harness = await openClusterHarness()
    await using other = await openClusterBackend(harness.options)
    await harness.backend.audit.append(auditEntryOf('adt_1'))
    await other.audit.append(auditEntryOf('adt_2'))
    for (const { audit } of [harness.backend, other])
      expect((await audit.list({}, { limit: 9 })).data.map(({ id }) => id)).toEqual([
        'adt_2',
        'adt_1',
      ])
  })

  test('an entry for a target with a long id is found by exactly that id', async () => {
    await using harness = await openClusterHarness()
    const { audit } = harness.backend
    const target = `\0${'u'.repeat(20_000)}`
    const ends = ['a', 'b'] as const
    for (const end of ends)
      await audit.append(auditEntryOf(`adt_${end}`, { targetId: `${target}${end}` }))
    for (const end of ends) {
      const { data } = await audit.list({ targetId: `${target}${end}` }, { limit: 9 })
      expect(data).toEqual([auditEntryOf(`adt_${end}`, { targetId: `${target}${end}` })])
    }
  })

  test('the content of an entry is encrypted, and a corrupted entry is listed as unreadable', async () => {
    await using harness = await openClusterHarness()
    const { audit } = harness.backend
    await audit.append(auditEntryOf('adt_1', { after: { url: 'https://user:pass@example.com/' } }))
    const rows = await harness.sql('SELECT audit::text AS row FROM audit')
    expect(JSON.stringify(rows)).not.toContain('example.com')
    await harness.sql('UPDATE audit SET sealed = left(sealed, 30)')
    const { data } = await audit.list({}, { limit: 9 })
    expect(data).toMatchObject([
      { id: 'adt_1', targetId: 'src_a', after: null, isUnreadable: true },
    ])
  })
})
