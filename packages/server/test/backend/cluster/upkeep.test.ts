import { describe } from 'vitest'
import { clusterIsMissing } from '@hookline/testing/cluster/cluster-servers'
import { upkeepConformance } from '../conformance/upkeep.ts'
import { openClusterHarness } from './open-cluster-harness.ts'

describe.skipIf(clusterIsMissing() !== undefined)('the state of a cluster as a whole', () => {
  upkeepConformance(openClusterHarness)
})
