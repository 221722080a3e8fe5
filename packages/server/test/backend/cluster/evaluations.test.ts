import { describe } from 'vitest'
import { clusterIsMissing } from '@hookline/testing/cluster/cluster-servers'
import { differingConformance } from '../conformance/audiences/differing.ts'
import { differingAgreesConformance } from '../conformance/audiences/differing-agrees.ts'
import { evaluationsConformance } from '../conformance/audiences/evaluations.ts'
import { openClusterHarness } from './open-cluster-harness.ts'

describe.skipIf(clusterIsMissing() !== undefined)('evaluations on PostgreSQL', () => {
  evaluationsConformance(openClusterHarness)
  differingConformance(openClusterHarness)
  differingAgreesConformance(openClusterHarness)
})
