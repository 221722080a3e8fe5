import { describe } from 'vitest'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { anonymousPurgesConformance } from '../conformance/deletions/anonymous-purges.ts'
import { deletionsConformance } from '../conformance/deletions/deletions.ts'
import { profilePurgesConformance } from '../conformance/deletions/profile-purges.ts'
import { purgePositionsConformance } from '../conformance/deletions/purge-positions.ts'
import { purgesConformance } from '../conformance/deletions/purges.ts'
import { refusedAfterPurgeConformance } from '../conformance/deletions/refused-after-purge.ts'
import { openClusterHarness } from './open-cluster-harness.ts'

describe.skipIf(clusterSkipReason() !== undefined)('deletions of a cluster', () => {
  deletionsConformance(openClusterHarness)
  purgesConformance(openClusterHarness)
  purgePositionsConformance(openClusterHarness)
  anonymousPurgesConformance(openClusterHarness)
  profilePurgesConformance(openClusterHarness)
  refusedAfterPurgeConformance(openClusterHarness)
})
