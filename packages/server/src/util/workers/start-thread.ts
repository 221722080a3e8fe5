import { extname } from 'node:path'
import { Worker, type WorkerOptions } from 'node:worker_threads'

const EXTENSION = extname(import.meta.url)
const CONDITION = '--conditions=hookline-source'
/** The hooks of `bin/hookline.js`, which find the other workspaces of a clone, are not those of a thread. */
const OF_A_CLONE: WorkerOptions =
  EXTENSION === '.ts' && !process.execArgv.includes(CONDITION) ? { execArgv: [CONDITION] } : {}

/**
 * Half of what V8 permits the newest objects of a thread: with several threads, the other half is memory that is given back
 * late, and it makes no event cheaper.
 */
const YOUNG_MB = 24

/**
 * Starts a thread: from its source in a clone, else from what was compiled.
 * @param module the module that the thread runs, without the extension of its file
 */
export function startThread(module: URL, options: WorkerOptions): Worker {
  const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MB, ...options.resourceLimits }
  const url = new URL(`${module.href}${EXTENSION}`)
  return new Worker(url, { ...OF_A_CLONE, ...options, resourceLimits })
}
