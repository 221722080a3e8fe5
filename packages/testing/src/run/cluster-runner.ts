import { type RunnerTestSuite, TestRunner } from 'vitest'
import { clusterSkipReason } from '../cluster/cluster-servers.ts'

/** Skips all tests and their hooks if the servers of a cluster are missing. */
export default class ClusterRunner extends TestRunner {
  override async onBeforeRunSuite(suite: RunnerTestSuite): Promise<void> {
    if (clusterSkipReason() !== undefined) suite.mode = 'skip'
    await super.onBeforeRunSuite(suite)
  }
}
