import { onTestFinished } from 'vitest'
import type { ActivityListener } from '../../src/telemetry/activity-listener.ts'
import { Metrics } from '../../src/telemetry/metrics.ts'
import { createLogger } from '../../src/telemetry/logger.ts'
import {
  type ThreadChannel,
  ThreadHost,
  type ThreadHostOptions,
  ThreadSupervisor,
} from '../../src/threads/thread-host.ts'
import { systemClock } from '../../src/util/time/clock.ts'
import type { FailedWorker } from '../../src/util/workers/supervisor.ts'
import { NO_ACTIVITY } from '@hookline/testing/engine/no-activity'
import type { WorkData, WorkMain, WorkThread } from './entries/work-thread.ts'

type Options = Partial<ThreadHostOptions<WorkThread, WorkMain>> & {
  readonly data?: WorkData
  /** The activity listener for the thread's reports. */
  readonly activity?: ActivityListener
}

/** Runs `entries/work-thread.ts` under a supervisor until the end of the test. */
export function openHost({ data = {}, ...options }: Options = {}) {
  const lines: Record<string, unknown>[] = []
  const write = (json: string): void => void lines.push(JSON.parse(json))
  const said: string[] = []
  const failedPermanently: FailedWorker[] = []
  const channels: ThreadChannel<WorkThread, WorkMain>[] = []
  const counts = { ended: 0 }
  const common = {
    clock: options.clock ?? systemClock,
    metrics: new Metrics(),
    logger: createLogger('info', { write }),
  }
  const host = new ThreadHost<WorkThread, WorkMain>({
    ...common,
    name: 'work-1',
    module: new URL('entries/work-thread', import.meta.url),
    input: () => ({ data }),
    functions: { nameOfMain: () => 'main', said: (text) => said.push(text) },
    onReady: (channel) => channels.push(channel),
    onEnded: () => counts.ended++,
    stopTimeoutMs: 5_000,
    activity: NO_ACTIVITY,
    ...options,
  })
  const threads = new ThreadSupervisor({
    ...common,
    onPermanentFailure: (failure) => failedPermanently.push(failure),
  })
  onTestFinished(() => threads[Symbol.asyncDispose]())
  threads.run(host)
  return { host, threads, ...common, lines, said, failedPermanently, channels, counts }
}
