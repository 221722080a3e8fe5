import { describe } from 'vitest'
import { clusterIsMissing } from '../../harness/cluster/cluster-servers.ts'
import { auditedChangesConformance } from '../conformance/audited-changes.ts'
import { openClusterHarness } from './open-cluster-harness.ts'

describe.skipIf(clusterIsMissing() !== undefined)('on a cluster', () => {
  auditedChangesConformance(openClusterHarness)
})
