import { extname } from 'node:path'
import { Worker, type WorkerOptions } from 'node:worker_threads'

const EXTENSION = extname(import.meta.url)
const CONDITION = '--conditions=hookline-source'
/** The hooks of `bin/hookline.js`, which find the other workspaces of a clone, are not those of a thread. */
const OF_A_CLONE: WorkerOptions =
  EXTENSION === '.ts' && !process.execArgv.includes(CONDITION) ? { execArgv: [CONDITION] } : {}

/**
 * Starts a thread: from its source in a clone, else from what was compiled.
 * @param module the module that the thread runs, without the extension of its file
 */
export function startThread(module: URL, options: WorkerOptions): Worker {
  return new Worker(new URL(`${module.href}${EXTENSION}`), { ...OF_A_CLONE, ...options })
}
