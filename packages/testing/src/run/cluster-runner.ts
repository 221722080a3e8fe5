import { type RunnerTestSuite, TestRunner } from 'vitest'
import { clusterIsMissing } from '../cluster/cluster-servers.ts'

/** Skips all tests, with what is to be done before them, where the servers of a cluster are missing. */
export default class ClusterRunner extends TestRunner {
  override async onBeforeRunSuite(suite: RunnerTestSuite): Promise<void> {
    if (clusterIsMissing() !== undefined) suite.mode = 'skip'
    await super.onBeforeRunSuite(suite)
  }
}
