/** The name of the main thread in every table. */
export const MAIN_THREAD = 'main'
/** Threads that Node and V8 start themselves: for garbage collection, compilation and files. */
export const HELPER_THREADS = "Node's helpers"

/** What the service names its threads after. The system keeps only the first 15 characters of a name. */
const KINDS = ['writer', 'reader', 'ingest', 'delivery']
const PREFIX = 'hookline-'
const KEPT = 15

/** The kind of the thread with this name, such as `hookline-writer` or `hookline-ingest-2`, cut off or not. */
export function kindOfThread(name: string): string {
  if (name === MAIN_THREAD) return MAIN_THREAD
  if (!name.startsWith(PREFIX)) return HELPER_THREADS
  const known = KINDS.find((kind) => name.startsWith(`${PREFIX}${kind}`.slice(0, KEPT)))
  return known ?? name.slice(PREFIX.length)
}
