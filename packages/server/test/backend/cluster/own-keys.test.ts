import { describe, expect, test } from 'vitest'
import { ownKeysIn } from '../../../src/backend/cluster/encryption/encryption-key.ts'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { newSecretBox } from '@hookline/testing/engine/new-secret-box'
import { alertStatesConformance } from '../conformance/alert-states.ts'
import { leasesConformance } from '../conformance/leases.ts'
import { ownKeysConformance } from '../conformance/own-keys.ts'
import { openClusterHarness } from './open-cluster-harness.ts'
import { openPostgres } from './open-postgres.ts'

describe.skipIf(clusterSkipReason() !== undefined)('on the cluster', () => {
  leasesConformance(openClusterHarness)
  ownKeysConformance(openClusterHarness)
  alertStatesConformance(openClusterHarness)

  test('nodes that create a key at the same time get the same one', async () => {
    await using postgres = await openPostgres()
    const box = newSecretBox()
    const keys = await Promise.all(
      ['a', 'b', 'c'].map((key) => ownKeysIn(postgres, box).keyOf('receipts', () => key)),
    )
    expect(new Set(keys).size).toBe(1)
  })
})
