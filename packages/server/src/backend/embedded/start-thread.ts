import type { Worker, WorkerOptions } from 'node:worker_threads'
import { startThread as start } from '../../util/workers/start-thread.ts'

/** Starts a thread of this folder. */
export function startThread(name: 'reader' | 'writer', options: WorkerOptions): Worker {
  const module = new URL(`./${name}-thread`, import.meta.url)
  return start(module, { name: `hookline-${name}`, ...options })
}
