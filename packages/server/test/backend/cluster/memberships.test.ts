import { describe } from 'vitest'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { membershipsConformance } from '../conformance/audiences/memberships.ts'
import { previewsConformance } from '../conformance/audiences/previews.ts'
import { syncsConformance } from '../conformance/audiences/syncs.ts'
import { openClusterHarness } from './open-cluster-harness.ts'

describe.skipIf(clusterSkipReason() !== undefined)('memberships on PostgreSQL', () => {
  membershipsConformance(openClusterHarness)
  previewsConformance(openClusterHarness)
  syncsConformance(openClusterHarness)
})
