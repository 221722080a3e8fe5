import { describe } from 'vitest'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { factsConformance } from '../conformance/profiles/facts.ts'
import { profileIdentityConformance } from '../conformance/profiles/profile-identity.ts'
import { profileHistoriesConformance } from '../conformance/profiles/profile-histories.ts'
import { profileLinksConformance } from '../conformance/profiles/profile-links.ts'
import { profileSearchConformance } from '../conformance/profiles/profile-search.ts'
import { profileOrderConformance } from '../conformance/profiles/profile-order.ts'
import { profileTraitsConformance } from '../conformance/profiles/profile-traits.ts'
import { profilesConformance } from '../conformance/profiles/profiles.ts'
import { openClusterHarness } from './open-cluster-harness.ts'

describe.skipIf(clusterSkipReason() !== undefined)('profiles on PostgreSQL', () => {
  profilesConformance(openClusterHarness)
  profileTraitsConformance(openClusterHarness)
  profileIdentityConformance(openClusterHarness)
  profileLinksConformance(openClusterHarness)
  profileSearchConformance(openClusterHarness)
  profileHistoriesConformance(openClusterHarness, 300)
  profileOrderConformance(openClusterHarness)
  factsConformance(openClusterHarness)
})
