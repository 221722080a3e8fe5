/** The name of the main thread in every table. */
export const MAIN_THREAD = 'main'
/** Threads for garbage collection and compilation. */
export const V8_HELPERS = "V8's helpers"
/** Other threads of Node, such as for file operations. */
export const NODE_HELPERS = "Node's helpers"

/** The kinds in the thread names of the service. The system keeps only the first 15 characters of a name. */
const KINDS = ['writer', 'reader', 'ingest', 'delivery']
const PREFIX = 'hookline-'
const KEPT = 15

/** The kind of the thread with this name, such as `hookline-writer` or `hookline-ingest-2`, possibly truncated. */
export function kindOfThread(name: string): string {
  if (name === MAIN_THREAD) return MAIN_THREAD
  if (name === 'V8Worker') return V8_HELPERS
  if (!name.startsWith(PREFIX)) return NODE_HELPERS
  const known = KINDS.find((kind) => name.startsWith(`${PREFIX}${kind}`.slice(0, KEPT)))
  return known ?? name.slice(PREFIX.length)
}
