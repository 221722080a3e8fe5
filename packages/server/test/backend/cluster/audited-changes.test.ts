import { describe } from 'vitest'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { auditedChangesConformance } from '../conformance/audited-changes.ts'
import { openClusterHarness } from './open-cluster-harness.ts'

describe.skipIf(clusterSkipReason() !== undefined)('on a cluster', () => {
  auditedChangesConformance(openClusterHarness)
})
