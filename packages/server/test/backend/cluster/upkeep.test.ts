import { describe } from 'vitest'
import { clusterIsMissing } from '@hookline/testing/cluster/cluster-servers'
import { upkeepConformance } from '../conformance/upkeep.ts'
import { openClusterHarness } from './open-cluster-harness.ts'

describe.skipIf(clusterIsMissing() !== undefined)('on a cluster', () => {
  upkeepConformance(openClusterHarness)
})
