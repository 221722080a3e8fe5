/** The name of the main thread in every table. */
export const MAIN_THREAD = 'main'
/** Threads for garbage collection and compilation. */
export const V8_WORKERS = 'V8 workers (GC, compilation)'
/** Other threads of Node, such as for file operations. */
export const NODE_THREADS = 'Node.js threads (libuv)'

/** The kinds in the service's thread names. The system keeps only the first 15 characters of a name. */
const KINDS = ['writer', 'reader', 'ingest', 'delivery']
const PREFIX = 'hookline-'
const KEPT = 15

/** The kind of the thread with this name, such as `hookline-writer` or `hookline-ingest-2`, possibly truncated. */
export function kindOfThread(name: string): string {
  if (name === MAIN_THREAD) return MAIN_THREAD
  if (name === 'V8Worker') return V8_WORKERS
  if (!name.startsWith(PREFIX)) return NODE_THREADS
  const known = KINDS.find((kind) => name.startsWith(`${PREFIX}${kind}`.slice(0, KEPT)))
  return known ?? name.slice(PREFIX.length)
}
