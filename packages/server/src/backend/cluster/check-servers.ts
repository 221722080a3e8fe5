import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import type { Redacted } from '../../util/secrets/redacted.ts'
import { BackendUnavailable } from '../backend.ts'
import { ConnectionRefused } from './connection-refused.ts'
import { NatsLink, type NatsSecurity } from './jetstream/nats-link.ts'
import { Postgres } from './postgres/postgres.ts'

export interface ServerOptions {
  /** Of PostgreSQL, with the password. */
  readonly databaseUrl: Redacted
  /** Servers of NATS, separated by commas. */
  readonly natsUrl: Redacted
  /** Credentials, nkey and TLS, beside what the URL says. */
  readonly natsSecurity?: NatsSecurity
  /** Monitoring ports of all servers of NATS, separated by commas. */
  readonly natsMonitorUrl?: Redacted
}

/** The properties of a database server that stored data depends on. */
interface ServerState {
  readonly version: string
  /** Whether it finds a page that was damaged on the disk. */
  readonly hasChecksums: boolean
}

const MIN_VERSION = 14

/**
 * Checks that a commit survives a power cut, and that connections keep their sessions.
 * @throws {ConnectionRefused} with the setting that is wrong
 */
export async function checkServer(postgres: Postgres): Promise<ServerState> {
  const [server] = await postgres.run(sql<
    ServerState & { readonly fsync: string; readonly fullPageWrites: string }
  >`
    SELECT current_setting('server_version') AS version, current_setting('fsync') AS fsync,
      current_setting('full_page_writes') AS "fullPageWrites", current_setting('data_checksums') = 'on' AS "hasChecksums"`)
  const { version, fsync, fullPageWrites, hasChecksums } = server!
  if (Number.parseInt(version, 10) < MIN_VERSION)
    throw new ConnectionRefused(`PostgreSQL has version ${version}. Use ${MIN_VERSION} or newer.`)
  for (const [name, value] of Object.entries({ fsync, full_page_writes: fullPageWrites }))
    if (value !== 'on')
      throw new ConnectionRefused(
        `PostgreSQL has ${name}=${value}: a power cut would lose or damage confirmed data. Set ${name}=on in postgresql.conf.`,
      )
  if (!(await keepsSessions(postgres)))
    throw new ConnectionRefused(
      'PostgreSQL is behind a pooler that gives each transaction another session, such as PgBouncer with pool_mode=transaction. ' +
        'Set pool_mode=session, or let HOOKLINE_DATABASE_URL name the server itself.',
    )
  return { version, hasChecksums }
}

/** A pooler in transaction mode gives the server connection of an idle client to the next client that asks. */
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

/** A NATS server, as its monitoring port reports it. */
interface MonitoredServer {
  /** Of the monitoring port, for messages. */
  readonly host: string
  /** Whether the server syncs an event before it confirms it; `undefined` where the port does not respond as expected. */
  readonly syncsAlways: boolean | undefined
}

const TIMEOUT_MS = 3_000

/** Reads the settings of servers from their monitoring ports. `urls` are separated by commas. */
export function monitoredServers(urls: Redacted): Promise<readonly MonitoredServer[]> {
  return Promise.all(
    urls
      .reveal()
      .split(',')
      .map((url) => monitoredServer(new URL(url.trim()))),
  )
}

/** @throws {ConnectionRefused} if a server may lose confirmed events in a power cut */
export function refuseUnsynced(servers: readonly MonitoredServer[]): void {
  const unsynced = servers.filter(({ syncsAlways }) => syncsAlways === false)
  if (unsynced.length === 0) return
  throw new ConnectionRefused(
    `NATS confirms events before they are on its disk (${unsynced.map(({ host }) => host).join(', ')}): a power cut would lose ` +
      'calls that got a 200. Set `sync_interval: always` in the block `jetstream` of its configuration, and restart it.',
  )
}

async function monitoredServer(url: URL): Promise<MonitoredServer> {
  const { host } = url
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const response = await fetch(`${url.href.replace(/\/$/, '')}/varz`, { signal })
    const { jetstream } = (await response.json()) as Varz
    return { host, syncsAlways: jetstream.config && jetstream.config.sync_always === true }
  } catch {
    return { host, syncsAlways: undefined }
  }
}

/** Of nats-server's `/varz`. */
interface Varz {
  readonly jetstream: { readonly config?: { readonly sync_always?: boolean } }
}

/** The state of a server of the cluster, as `hookline doctor` shows it. */
export interface ServerDiagnosis {
  readonly ok: boolean
  /** It works, but something should be changed. */
  readonly warning?: true
  readonly detail: string
  /** What to do. */
  readonly next?: string
}

/** Makes the checks of a starting node, and those that only warn. */
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
    'Stop PostgreSQL, run `pg_checksums --enable`, and start it: then it finds damaged pages'
  return { ok: true, warning: true, detail, next }
}

async function diagnoseNats(options: ServerOptions): Promise<ServerDiagnosis> {
  await using link = await NatsLink.open({ url: options.natsUrl, ...options.natsSecurity })
  const { natsMonitorUrl } = options
  const servers = natsMonitorUrl ? await monitoredServers(natsMonitorUrl) : []
  refuseUnsynced(servers)
  const silent = servers.filter(({ syncsAlways }) => syncsAlways === undefined)
  const isVerified = servers.length > 0 && silent.length === 0
  const detail = `version ${link.version}, sync_interval ${isVerified ? 'always' : 'not verified'}`
  if (isVerified) return { ok: true, detail }
  const next =
    silent.length > 0
      ? `Check HOOKLINE_NATS_MONITOR_URL: ${silent.map(({ host }) => host).join(', ')} did not report the settings of NATS`
      : 'Set HOOKLINE_NATS_MONITOR_URL to the monitoring ports of all NATS servers'
  return { ok: true, warning: true, detail, next }
}

interface ProbeOptions {
  readonly postgres: Postgres
  /** Asks the stream of the log; rejects with `BackendUnavailable` where it does not answer. */
  readonly askLog: () => Promise<unknown>
  /** Why this node does not know of the changes of other nodes; `undefined` where it does. */
  readonly staleness: () => unknown
}

/**
 * Finds out whether PostgreSQL takes new data durably, the log answers, and this node knows of the changes of others. Calls at the
 * same time share a probe, which rejects with `BackendUnavailable`.
 */
export function probeOf(options: ProbeOptions): () => Promise<void> {
  let running: Promise<void> | undefined
  return () => (running ??= probe(options).finally(() => (running = undefined)))
}

async function probe({ postgres, askLog, staleness }: ProbeOptions): Promise<void> {
  // The row counts nothing, and goes when the tallies are put together. No node waits for another one.
  const writeRow = postgres.write((transaction) =>
    sql`INSERT INTO tallies VALUES (0, 'probe', '', 0, 0)`.execute(transaction),
  )
  await Promise.all([writeRow, askLog()])
  const cause = staleness()
  if (cause === undefined) return
  const reason = cause instanceof Error ? cause.message : 'the reason is unknown'
  throw new BackendUnavailable(`Changes of other nodes do not arrive: ${reason}`, { cause })
}
