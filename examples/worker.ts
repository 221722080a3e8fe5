// A worker that processes jobs until it receives SIGTERM, for example from a container runtime.
//
//   HOOKLINE_URL=… HOOKLINE_WRITE_KEY=wk_… npx node --conditions=hookline-source examples/worker.ts
import { Analytics, FlushTimeoutError } from '@hookline/client'
import { setTimeout as pause } from 'node:timers/promises'

const analytics = new Analytics(process.env['HOOKLINE_WRITE_KEY'] ?? '', {
  endpoint: process.env['HOOKLINE_URL'],
  // Jobs are rare, so do not wait long for a full batch.
  flushAfter: 1_000,
})

const stop = new AbortController()
process.once('SIGTERM', () => stop.abort())

let jobs = 0
while (!stop.signal.aborted) {
  // Replace this with your work.
  await pause(20)
  jobs++
  analytics.track({ userId: 'worker-1', event: 'Job Done', properties: { number: jobs } })
  console.log(`job ${jobs} done`)
}

try {
  // Less than the time between SIGTERM and SIGKILL: 10 seconds with Docker and 30 with Kubernetes.
  await analytics.close({ timeoutMs: 8_000 })
} catch (error) {
  if (!(error instanceof FlushTimeoutError)) throw error
  console.error(`${error.undelivered} messages are lost: Hookline did not respond in time`)
  process.exitCode = 1
}
