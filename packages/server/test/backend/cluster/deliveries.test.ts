import { describe } from 'vitest'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { deliveriesConformance } from '../conformance/deliveries/deliveries.ts'
import { deliveryReportsConformance } from '../conformance/deliveries/delivery-reports.ts'
import { lanesConformance } from '../conformance/deliveries/lanes.ts'
import { quarantineConformance } from '../conformance/deliveries/quarantine.ts'
import { replaysConformance } from '../conformance/deliveries/replays.ts'
import { openClusterHarness } from './open-cluster-harness.ts'

describe.skipIf(clusterSkipReason() !== undefined)('on the cluster', () => {
  deliveriesConformance(openClusterHarness)
  lanesConformance(openClusterHarness)
  deliveryReportsConformance(openClusterHarness)
  replaysConformance(openClusterHarness)
  quarantineConformance(openClusterHarness)
})
