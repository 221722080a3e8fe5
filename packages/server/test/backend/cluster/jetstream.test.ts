import { describe } from 'vitest'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { logConformance } from '../conformance/log/log.ts'
import { openClusterHarness } from './open-cluster-harness.ts'

describe.skipIf(clusterSkipReason() !== undefined)('the log on JetStream', () => {
  logConformance(openClusterHarness, { isOrdered: false })
})
