import { describe } from 'vitest'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { upkeepConformance } from '../conformance/upkeep.ts'
import { openClusterHarness } from './open-cluster-harness.ts'

describe.skipIf(clusterSkipReason() !== undefined)('on a cluster', () => {
  upkeepConformance(openClusterHarness)
})
