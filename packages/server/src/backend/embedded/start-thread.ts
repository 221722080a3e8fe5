import { extname } from 'node:path'
import { Worker, type WorkerOptions } from 'node:worker_threads'

const EXTENSION = extname(import.meta.url)
const CONDITION = '--conditions=hookline-source'
/** The hooks of `bin/hookline.js`, which find the other workspaces of a clone, are not those of a thread. */
const OF_A_CLONE: WorkerOptions =
  EXTENSION === '.ts' && !process.execArgv.includes(CONDITION) ? { execArgv: [CONDITION] } : {}

/** Starts a thread of this folder, from its source in a clone. */
export function startThread(name: 'reader' | 'writer', options: WorkerOptions): Worker {
  const entry = new URL(`./${name}-thread${EXTENSION}`, import.meta.url)
  return new Worker(entry, { name: `hookline-${name}`, ...OF_A_CLONE, ...options })
}
