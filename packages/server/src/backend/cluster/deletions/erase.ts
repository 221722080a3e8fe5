import { sql } from 'kysely'
import type { Postgres } from '../postgres/postgres.ts'

/** The tables that have content of users, and that a purge, or what follows it, removes from. */
const TABLES = [
  'events',
  'declined',
  'deliveries',
  'attempts',
  'waiting_parts',
  'quarantine',
  'outbox',
  'profiles',
  'profile_traits',
  'profile_ids',
  'facts',
  'results',
  'announced',
  'listed_users',
  'replays',
] as const

/** SQLSTATE. */
const UNDEFINED_TABLE = '42P01'

/**
 * Lets PostgreSQL drop the removed row versions, table by table, each without a lock that reads or writes wait for. A page
 * without any is skipped, so a second call goes on where the first one ended. Resolves to whether it reached the end.
 *
 * What stays, out of reach of SQL: the bytes in the free part of a page, until other rows overwrite them; pages that were
 * cut off, in the free blocks of the disk. A transaction that began before the purge keeps the versions that it may read,
 * until a later VACUUM, which autovacuum makes by itself. And copies: the WAL until it is recycled, which is at most
 * `max_wal_size` or what a replication slot or the archive of the WAL holds; replicas as far as they lag behind; backups
 * as long as they are kept.
 */
export async function eraseRemoved(postgres: Postgres, signal: AbortSignal): Promise<boolean> {
  const leaves = await leavesOf(postgres)
  for (const leaf of leaves) {
    if (signal.aborted) return false
    if (!(await vacuum(postgres, leaf, signal))) return false
  }
  return true
}

async function leavesOf(postgres: Postgres): Promise<string[]> {
  const rows = await postgres.run(sql<{ readonly name: string }>`
    SELECT relid::text AS name FROM unnest(${TABLES}::text[]) WITH ORDINALITY AS root (name, number)
    CROSS JOIN LATERAL pg_partition_tree(root.name::regclass) WHERE isleaf ORDER BY root.number, name`)
  return rows.map(({ name }) => name)
}

/** Returns whether it ended by itself. */
function vacuum(postgres: Postgres, table: string, signal: AbortSignal): Promise<boolean> {
  return postgres.readSlowly((db) =>
    db.connection().execute(async (connection) => {
      const { rows } = await sql<{
        readonly pid: number
      }>`SELECT pg_backend_pid() AS pid`.execute(connection)
      const cancel = (): void => {
        postgres.run(sql`SELECT pg_cancel_backend(${rows[0]!.pid})`).catch(() => undefined)
      }
      signal.addEventListener('abort', cancel, { once: true })
      try {
        await sql`VACUUM ${sql.raw(table)}`.execute(connection)
        return true
      } catch (error) {
        if (signal.aborted) return false
        // Retention has dropped it since.
        if ((error as { code?: unknown }).code === UNDEFINED_TABLE) return true
        throw error
      } finally {
        signal.removeEventListener('abort', cancel)
      }
    }),
  )
}
