/** What the process opens besides connections: the database in several threads, listeners, logs, copies, name look-ups. */
const OTHER_FILES = 128
/** What each thread opens for itself: its event loop, its listener, the database. */
const FILES_OF_A_THREAD = 8
/** With fewer connections, a side waits for itself: `checkOpenFiles` refuses the start. */
const LEAST_CONNECTIONS = 64
const ADMIN_PART = 1 / 8

/** The process may open fewer files than it needs. */
class TooFewOpenFiles extends Error {
  override readonly name = 'TooFewOpenFiles'
}

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

export interface NeededFiles {
  readonly threads: number
  /** How many connections each side has where the settings are used up. */
  readonly connections: number
  /** Called with the number of files for that where there are fewer. */
  readonly onTight: (wanted: number) => void
}

/** Checks that the service can open the files that it needs. @throws {TooFewOpenFiles} */
export function checkOpenFiles(
  openFiles: number,
  { threads, connections, onTight }: NeededFiles,
): void {
  const needed = filesFor(LEAST_CONNECTIONS, threads)
  const wanted = filesFor(connections, threads)
  if (openFiles < needed) {
    throw new TooFewOpenFiles(
      `The service may open ${openFiles} files and connections, and needs ${needed}: ${LEAST_CONNECTIONS} connections of clients, ${LEAST_CONNECTIONS} to webhooks, and the database with ${threads} threads. ` +
        `Raise the limit of the operating system (ulimit -n, or LimitNOFILE of systemd) and the setting maxOpenFiles to at least ${needed}; ${Math.max(needed, wanted)} are enough for all settings.`,
    )
  }
  if (openFiles < wanted) onTight(wanted)
}

/** How many files it takes to have this many connections on each side. */
function filesFor(connections: number, threads: number): number {
  return OTHER_FILES + FILES_OF_A_THREAD * threads + 2 * connections
}

/** Half of the files is for clients and half for webhooks. */
export function sharesOf(openFiles: number, threads: number): FileShares {
  const half = Math.floor((openFiles - filesFor(0, threads)) / 2)
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
