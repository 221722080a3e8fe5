import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { createLogger } from '../../../src/telemetry/logger.ts'
import { Metrics } from '../../../src/telemetry/metrics.ts'
import { ThreadHost, ThreadSupervisor } from '../../../src/threads/thread-host.ts'
import { systemClock } from '../../../src/util/time/clock.ts'
import { NO_ACTIVITY } from '@hookline/testing/engine/no-activity'

// Prints how often the threads of a process with an idle host wake up, and the memory of its thread.

const OVER_MS = 2_000

function wakes(): number {
  const statuses = readdirSync('/proc/self/task').map((task) =>
    readFileSync(`/proc/self/task/${task}/status`, 'utf8'),
  )
  return statuses.reduce((sum, text) => sum + Number(/^voluntary\D*(\d+)/m.exec(text)![1]), 0)
}

const { promise: ready, resolve } = Promise.withResolvers<unknown>()
const common = {
  clock: systemClock,
  metrics: new Metrics(200, { ofProcess: false }),
  logger: createLogger('info'),
}
const threads = new ThreadSupervisor({ ...common, onPermanentFailure: resolve })
const host = new ThreadHost<object, object>({
  ...common,
  name: 'idle-1',
  module: new URL('idle-thread', import.meta.url),
  input: () => ({ data: undefined }),
  functions: {},
  onReady: resolve,
  stopTimeoutMs: 1_000,
  activity: NO_ACTIVITY,
})
const without = process.memoryUsage.rss()
threads.run(host)
await ready
const bytes = process.memoryUsage.rss() - without
await wait(OVER_MS)
const before = wakes()
await wait(OVER_MS)
const wakesPerSecond = (wakes() - before) / (OVER_MS / 1000)
await threads[Symbol.asyncDispose]()
console.log(JSON.stringify({ wakesPerSecond, megabytes: Math.round(bytes / 2 ** 20) }))
