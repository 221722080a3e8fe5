import { startCpuProfile } from 'node:v8'
import type { Worker } from 'node:worker_threads'
import { MAIN_THREAD } from './thread-names.ts'

// Records CPU profiles of all threads of this process for some time. Threads started by threads are not included.

const workers = new Set<Worker>()

// No hook in the service is needed, because Node emits an event for each new thread.
process.on('worker', (worker) => {
  workers.add(worker)
  worker.once('exit', () => workers.delete(worker))
})

/** Stops the profile and resolves with it, as JSON. */
type Stop = () => string | Promise<string>

let running: readonly (readonly [thread: string, Stop])[] = []

export async function startProfiles(): Promise<void> {
  const started = [...workers].map(async (worker) => {
    const profile = await worker.startCpuProfile()
    return [worker.threadName ?? 'unnamed', () => profile.stop()] as const
  })
  running = await Promise.all(started)
  const main = startCpuProfile()
  running = [[MAIN_THREAD, () => main.stop() ?? ''], ...running]
}

/** Resolves with the name and the profile of each thread that ran during the whole time. */
export async function stopProfiles(): Promise<readonly (readonly [string, string])[]> {
  const stopped = running.map(async ([thread, stop]) => [thread, await stop()] as const)
  const settled = await Promise.allSettled(stopped)
  return settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
}
