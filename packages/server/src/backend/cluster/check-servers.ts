import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import type { Redacted } from '../../util/secrets/redacted.ts'
import { BackendUnavailableError } from '../backend.ts'
import { UnusableServerError } from './unusable-server.ts'
import { NatsLink, type NatsSecurity } from './jetstream/nats-link.ts'
import { Postgres } from './postgres/postgres.ts'

const MIN_VERSION = 14
const MONITOR_TIMEOUT_MS = 3_000

export interface ServerOptions {
  /** The PostgreSQL URL, with the password. */
  readonly databaseUrl: Redacted
  /** NATS servers, separated by commas. */
  readonly natsUrl: Redacted
  readonly natsSecurity?: NatsSecurity
  /** Monitoring URLs of all NATS servers, separated by commas. */
  readonly natsMonitorUrl?: Redacted
}

interface ServerState {
  readonly version: string
  readonly fsync: string
  readonly fullPageWrites: string
  /** Whether the server detects corrupt pages. */
  readonly hasChecksums: boolean
}

/** Checks the version, whether commits survive a power cut, and whether connections keep their sessions. @throws {UnusableServerError} */
export async function checkServer(postgres: Postgres): Promise<ServerState> {
  const [server] = await postgres.run(sql<ServerState>`
    SELECT current_setting('server_version') AS version, current_setting('fsync') AS fsync,
      current_setting('full_page_writes') AS "fullPageWrites", current_setting('data_checksums') = 'on' AS "hasChecksums"`)
  const { version, fsync, fullPageWrites } = server!
  if (Number.parseInt(version, 10) < MIN_VERSION)
    throw new UnusableServerError(`PostgreSQL ${version} is too old. Use ${MIN_VERSION} or newer.`)
  for (const [name, value] of Object.entries({ fsync, full_page_writes: fullPageWrites }))
    if (value !== 'on')
      throw new UnusableServerError(
        `PostgreSQL has ${name}=${value}: a power failure would lose or corrupt confirmed data. Set ${name}=on in postgresql.conf.`,
      )
  if (!(await keepsSessions(postgres)))
    throw new UnusableServerError(
      'PostgreSQL is behind a pooler that does not keep sessions, such as PgBouncer with pool_mode=transaction. ' +
        'Set pool_mode=session, or point HOOKLINE_DATABASE_URL at the server itself.',
    )
  return server!
}

/** In transaction mode, a pooler gives the server connection of an idle client to the next client. */
function keepsSessions(postgres: Postgres): Promise<boolean> {
  const mark = randomUUID()
  return postgres.session(async (session) => {
    await sql`SELECT set_config('hookline.session', ${mark}, false)`.execute(session)
    return postgres.write(async (transaction) => {
      await sql`SELECT 1`.execute(transaction)
      const { rows } = await sql<{ readonly mark: string | null }>`
        SELECT current_setting('hookline.session', true) AS mark`.execute(session)
      return rows[0]?.mark === mark
    })
  })
}

/**
 * Checks that NATS syncs before it confirms. Returns the monitoring hosts that did not report this.
 * @throws {UnusableServerError}
 */
export async function checkNatsSync(monitorUrls: Redacted): Promise<readonly string[]> {
  const urls = monitorUrls.reveal().split(',')
  const servers = await Promise.all(
    urls.map(async (text) => {
      const url = new URL(text.trim())
      return { host: url.host, syncs: await syncsAlways(url).catch(() => undefined) }
    }),
  )
  const hostsWith = (result: boolean | undefined): readonly string[] =>
    servers.flatMap(({ host, syncs }) => (syncs === result ? [host] : []))
  const unsynced = hostsWith(false)
  if (unsynced.length === 0) return hostsWith(undefined)
  throw new UnusableServerError(
    `NATS confirms events before they are on its disk (${unsynced.join(', ')}): a power failure would lose ` +
      'calls that got a 200. Set `sync_interval: always` in the `jetstream` block of its configuration, and restart it.',
  )
}

async function syncsAlways(url: URL): Promise<boolean | undefined> {
  const signal = AbortSignal.timeout(MONITOR_TIMEOUT_MS)
  const response = await fetch(`${url.href.replace(/\/$/, '')}/varz`, { signal })
  const { jetstream } = (await response.json()) as {
    readonly jetstream: { readonly config?: { readonly sync_always?: boolean } }
  }
  return jetstream.config && jetstream.config.sync_always === true
}

/** The state of a server, as `hookline doctor` shows it. */
export interface ServerDiagnosis {
  readonly ok: boolean
  readonly warning?: true
  readonly detail: string
  readonly next?: string
}

/** Runs the checks of a starting node, and additional checks that only warn. */
export async function diagnoseServers(
  options: ServerOptions,
): Promise<Readonly<Record<'PostgreSQL' | 'NATS', ServerDiagnosis>>> {
  const failed = (error: unknown): ServerDiagnosis => ({
    ok: false,
    detail: (error as Error).message,
  })
  return {
    PostgreSQL: await diagnosePostgres(options).catch(failed),
    NATS: await diagnoseNats(options).catch(failed),
  }
}

async function diagnosePostgres({ databaseUrl: url }: ServerOptions): Promise<ServerDiagnosis> {
  await using postgres = new Postgres({ url })
  const { version, hasChecksums } = await checkServer(postgres)
  const detail = `version ${version}, fsync on, data_checksums ${hasChecksums ? 'on' : 'off'}`
  if (hasChecksums) return { ok: true, detail }
  const next =
    'Stop PostgreSQL, run `pg_checksums --enable`, and start it again, to detect corrupt pages'
  return { ok: true, warning: true, detail, next }
}

async function diagnoseNats(options: ServerOptions): Promise<ServerDiagnosis> {
  await using link = await NatsLink.open({ url: options.natsUrl, ...options.natsSecurity })
  const silent = options.natsMonitorUrl && (await checkNatsSync(options.natsMonitorUrl))
  const isVerified = silent?.length === 0
  const detail = `version ${link.version}, sync_interval ${isVerified ? 'always' : 'not verified'}`
  if (isVerified) return { ok: true, detail }
  const next = silent
    ? `Check HOOKLINE_NATS_MONITOR_URL: ${silent.join(', ')} did not report the settings of NATS`
    : 'Set HOOKLINE_NATS_MONITOR_URL to the URLs of the monitoring ports of all NATS servers'
  return { ok: true, warning: true, detail, next }
}

interface ProbeOptions {
  readonly postgres: Postgres
  /** Rejects with `BackendUnavailableError` if the stream of the log does not respond. */
  readonly checkLog: () => Promise<unknown>
  /** Why this node does not receive changes from other nodes; `undefined` if it does. */
  readonly staleness: () => unknown
}

/** Checks the database, the log and the change feed. Rejects with `BackendUnavailableError`. Concurrent calls share a probe. */
export function probeOf(options: ProbeOptions): () => Promise<void> {
  let running: Promise<void> | undefined
  return () => (running ??= probe(options).finally(() => (running = undefined)))
}

async function probe({ postgres, checkLog, staleness }: ProbeOptions): Promise<void> {
  // A tally of zero, which the next merge removes. Inserting it does not wait for other nodes.
  const writeRow = postgres.write((transaction) =>
    sql`INSERT INTO tallies VALUES (0, 'probe', '', 0, 0)`.execute(transaction),
  )
  await Promise.all([writeRow, checkLog()])
  const cause = staleness()
  if (cause === undefined) return
  const reason = cause instanceof Error ? cause.message : 'unknown reason'
  throw new BackendUnavailableError(
    `This node does not receive changes from other nodes: ${reason}`,
    {
      cause,
    },
  )
}
