import { describe } from 'vitest'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { computedEventsConformance } from '../conformance/log/computed-events.ts'
import { eventsConformance } from '../conformance/log/events.ts'
import { followedLogConformance } from '../conformance/log/followed-log.ts'
import { decidedDestinationsConformance } from '../conformance/log/decided-destinations.ts'
import { openClusterHarness } from './open-cluster-harness.ts'

describe.skipIf(clusterSkipReason() !== undefined)('the archive on PostgreSQL', () => {
  eventsConformance(openClusterHarness)
  decidedDestinationsConformance(openClusterHarness)
  computedEventsConformance(openClusterHarness)
  followedLogConformance(openClusterHarness)
})
