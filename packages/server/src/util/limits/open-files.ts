/** What the process opens besides connections: the database in several threads, listeners, logs, copies, name look-ups. */
const OTHER_FILES = 128
/** What each thread opens for itself: its event loop, its listener, the database. */
const FILES_OF_A_THREAD = 8
/** With fewer connections, each side would wait for itself. */
const LEAST_CONNECTIONS = 64
const ADMIN_PART = 1 / 8

/** How many connections each side may have, so that neither takes the files that the other side or the database needs. */
export interface FileShares {
  /** Connections of clients. */
  readonly connections: number
  /** Of these, the connections to a management API that has its own port. */
  readonly adminConnections: number
  /** Connections to webhooks. */
  readonly webhookSockets: number
}

/** How many files the service may open: at most as many as the operating system permits. */
export function openFilesOf(maxOpenFiles: number, permitted = permittedFiles()): number {
  return Math.min(maxOpenFiles, permitted)
}

/** Half of the files is for clients and half for webhooks. */
export function sharesOf(openFiles: number, threads: number): FileShares {
  const files = openFiles - OTHER_FILES - FILES_OF_A_THREAD * threads
  const half = Math.max(Math.floor(files / 2), LEAST_CONNECTIONS)
  return {
    connections: half,
    adminConnections: Math.floor(half * ADMIN_PART),
    webhookSockets: half,
  }
}

/**
 * How many connections of clients threads of ingestion may have together, and how many they may forward to main. One that is
 * forwarded takes three files: the connection of the client, and both ends of the one to main.
 */
export function sharesWithThreads(connections: number): {
  readonly ofThreads: number
  readonly ofMain: number
} {
  const ofMain = Math.max(1, Math.floor(connections / 6))
  return { ofThreads: Math.max(1, connections - 3 * ofMain), ofMain }
}

/** How many files the operating system lets this process open. Node raises its limit as far as it may (`ulimit -Hn`). */
function permittedFiles(): number {
  // Otherwise the report looks up names.
  Object.assign(process.report, { excludeNetwork: true })
  const { userLimits } = process.report.getReport() as {
    readonly userLimits?: { readonly open_files?: { readonly soft: number | 'unlimited' } }
  }
  const limit = userLimits?.open_files?.soft
  return typeof limit === 'number' ? limit : Infinity
}
