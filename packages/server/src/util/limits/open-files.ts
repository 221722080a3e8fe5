import { countText } from '../count-text.ts'

/** Files of the process besides connections: listeners, logs, copies, DNS lookups. */
const OTHER_FILES = 128
const FILES_PER_THREAD = 8
const MIN_CONNECTIONS = 64
const ADMIN_PART = 1 / 8

class TooFewOpenFilesError extends Error {
  override readonly name = 'TooFewOpenFilesError'
}

/** Connection limits, so that clients and webhooks leave files for each other and the database. */
export interface FileShares {
  /** Connections from clients. */
  readonly connections: number
  /** The part of `connections` for a management API with its own port. */
  readonly adminConnections: number
  readonly webhookSockets: number
}

/** Files the service may open: at most as many as the operating system permits. */
export function openFilesOf(maxOpenFiles: number, permitted = permittedFiles()): number {
  return Math.min(maxOpenFiles, permitted)
}

export interface NeededFiles {
  readonly threads: number
  /** Webhook connections at the maximum that the settings allow. */
  readonly connections: number
  /** Called with the number of files needed for that, if fewer are permitted. */
  readonly onInsufficientFiles: (wanted: number) => void
}

/** @throws {TooFewOpenFilesError} if the service cannot open enough files */
export function checkOpenFiles(
  openFiles: number,
  { threads, connections, onInsufficientFiles }: NeededFiles,
): void {
  const needed = filesFor(MIN_CONNECTIONS, threads)
  const recommended = filesFor(connections, threads)
  if (openFiles < needed) {
    throw new TooFewOpenFilesError(
      `The service may open ${openFiles} files and connections, but needs ${needed}: ${MIN_CONNECTIONS} for clients, ${MIN_CONNECTIONS} for webhooks, and the rest for the database and ${countText(threads, 'thread')}. ` +
        `Raise the operating system's limit (ulimit -n, or systemd's LimitNOFILE) and the maxOpenFiles setting to at least ${needed}; ${Math.max(needed, recommended)} are enough for the current settings.`,
    )
  }
  if (openFiles < recommended) onInsufficientFiles(recommended)
}

/** Files needed for this many client connections, and the same number of webhook connections. */
function filesFor(connections: number, threads: number): number {
  return OTHER_FILES + FILES_PER_THREAD * threads + 2 * connections
}

export function sharesOf(openFiles: number, threads: number): FileShares {
  const half = Math.floor((openFiles - filesFor(0, threads)) / 2)
  return {
    connections: half,
    adminConnections: Math.floor(half * ADMIN_PART),
    webhookSockets: half,
  }
}

/** Connections that ingestion threads may accept and forward to main. A forwarded one takes three files. */
export function sharesWithThreads(connections: number): {
  readonly threadConnections: number
  readonly mainConnections: number
} {
  const mainConnections = Math.max(1, Math.floor(connections / 6))
  return { threadConnections: Math.max(1, connections - 3 * mainConnections), mainConnections }
}

/** Open files permitted by the operating system. Node raises its limit to `ulimit -Hn`. */
function permittedFiles(): number {
  // Otherwise the report would look up host names.
  Object.assign(process.report, { excludeNetwork: true })
  const { userLimits } = process.report.getReport() as {
    readonly userLimits?: { readonly open_files?: { readonly soft: number | 'unlimited' } }
  }
  const limit = userLimits?.open_files?.soft
  return typeof limit === 'number' ? limit : Infinity
}
