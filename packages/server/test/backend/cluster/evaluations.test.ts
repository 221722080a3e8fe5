import { describe } from 'vitest'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { walksConformance } from '../conformance/audiences/walks.ts'
import { evaluationsConformance } from '../conformance/audiences/evaluations.ts'
import { openClusterHarness } from './open-cluster-harness.ts'

describe.skipIf(clusterSkipReason() !== undefined)('evaluations on PostgreSQL', () => {
  evaluationsConformance(openClusterHarness)
  walksConformance(openClusterHarness)
})
