import { startCpuProfile } from 'node:v8'
import type { Worker } from 'node:worker_threads'
import { MAIN_THREAD } from './thread-names.ts'

// CPU profiles of all threads of this process, for a part of its life. Threads of threads are not seen.

const workers = new Set<Worker>()

// The benchmark needs no hook in the service: Node tells of each thread that starts.
process.on('worker', (worker) => {
  workers.add(worker)
  worker.once('exit', () => workers.delete(worker))
})

/** Ends the profile and resolves with it, as JSON. */
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

/** Resolves with the profile of each thread that lived all the time, with the thread's name. */
export async function stopProfiles(): Promise<readonly (readonly [string, string])[]> {
  const stopped = running.map(async ([thread, stop]) => [thread, await stop()] as const)
  const settled = await Promise.allSettled(stopped)
  return settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
}
