import { type ChildProcess, fork } from 'node:child_process'
import { extname } from 'node:path'
import { Worker, type WorkerOptions } from 'node:worker_threads'

const EXTENSION = extname(import.meta.url)
const CONDITION = '--conditions=hookline-source'
/** Threads do not inherit the hooks of `bin/hookline.js`, which find the workspaces of a clone. */
const CLONE_OPTIONS: WorkerOptions =
  EXTENSION === '.ts' && !process.execArgv.includes(CONDITION) ? { execArgv: [CONDITION] } : {}

/** Starts a process with these options of Node and an empty environment. `module` has no file extension. */
export function startProcess(module: URL, options: readonly string[]): ChildProcess {
  const execArgv = EXTENSION === '.ts' ? [CONDITION, ...options] : [...options]
  return fork(new URL(`${module.href}${EXTENSION}`), { execArgv, env: {}, stdio: 'ignore' })
}

/** Starts a thread; in a clone, from source. `module` has no file extension. */
export function startThread(module: URL, options: WorkerOptions): Worker {
  return new Worker(new URL(`${module.href}${EXTENSION}`), { ...CLONE_OPTIONS, ...options })
}
