import { type RunnerTestSuite, TestRunner } from 'vitest'
import { clusterIsMissing } from '../cluster/cluster-servers.ts'

/** Skips all tests and their hooks if the servers of a cluster are missing. */
export default class ClusterRunner extends TestRunner {
  override async onBeforeRunSuite(suite: RunnerTestSuite): Promise<void> {
    if (clusterIsMissing() !== undefined) suite.mode = 'skip'
    await super.onBeforeRunSuite(suite)
  }
}
