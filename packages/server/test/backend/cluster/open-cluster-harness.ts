import pg from 'pg'
import { expect } from 'vitest'
import type { Backend } from '../../../src/backend/backend.ts'
import { type ClusterOptions, openClusterBackend } from '../../../src/backend/cluster/open.ts'
import type { JetStreamLog } from '../../../src/backend/cluster/jetstream/jetstream-log.ts'
import { Redacted } from '../../../src/util/secrets/redacted.ts'
import { SecretBox } from '../../../src/util/secrets/secret-box.ts'
import { newClusterNamespace } from '@hookline/testing/cluster/cluster-servers'
import { type BackendHarness, DEDUPE_WINDOW_MS } from '../conformance/backend-harness.ts'

/** A node with its own database and NATS prefix, and access to that database from outside. */
export interface ClusterHarness extends BackendHarness {
  readonly options: ClusterOptions
  /** Runs SQL in Hookline's schema, from outside Hookline. */
  sql(text: string): Promise<readonly Record<string, unknown>[]>
}

/** Opens a node on a new database and stream. */
export async function openClusterHarness(): Promise<ClusterHarness> {
  const place = await newClusterNamespace()
  const { databaseUrl, natsUrl, natsPrefix } = place
  const options: ClusterOptions = {
    databaseUrl: new Redacted(databaseUrl),
    natsUrl: new Redacted(natsUrl),
    natsPrefix,
    encryptionKey: new Redacted(SecretBox.newKey()),
    dedupeWindowMs: DEDUPE_WINDOW_MS,
    pollMs: 50,
  }
  let backend = await openClusterBackend(options)
  const sql = (text: string) => queryAt(databaseUrl, text)
  return {
    options,
    sql,
    get backend() {
      return backend
    },
    async reopen() {
      await backend[Symbol.asyncDispose]()
      backend = await openClusterBackend(options)
    },
    settle: () => settle(backend, sql),
    async failAuditWrites() {
      await sql(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'audit writes fail'; END $$;
        CREATE TRIGGER refuse BEFORE INSERT ON audit FOR EACH ROW EXECUTE FUNCTION refuse()`)
    },
    async [Symbol.asyncDispose]() {
      await backend[Symbol.asyncDispose]()
      await place[Symbol.asyncDispose]()
    },
  }
}

/** How long another node may take to ack the last entries. */
const QUIET_MS = 2_000

/** Waits for the outbox to empty, then archives and acks every entry of the log. */
async function settle({ log, events }: Backend, sql: ClusterHarness['sql']): Promise<void> {
  await expect.poll(() => sql('SELECT number FROM outbox LIMIT 1'), { interval: 20 }).toEqual([])
  const isEmpty = async (): Promise<boolean> => (await (log as JetStreamLog).state()).bytes === 0
  if (await isEmpty()) return
  const stop = new AbortController()
  const wait = (): NodeJS.Timeout => setTimeout(() => stop.abort(), QUIET_MS)
  let timer = wait()
  for await (const entries of log.consume({ signal: stop.signal })) {
    clearTimeout(timer)
    await events.archive(
      entries.flatMap((entry) => entry.events.map((event) => ({ event, declined: [] }))),
    )
    await log.ack(entries)
    if (await isEmpty()) return
    timer = wait()
  }
}

async function queryAt(url: string, text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, options: '-c search_path=hookline' })
  await client.connect()
  try {
    const { rows } = await client.query<Record<string, unknown>>(text)
    return rows
  } finally {
    await client.end()
  }
}
