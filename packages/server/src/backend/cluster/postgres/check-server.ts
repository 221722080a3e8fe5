import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { ConnectionRefused } from '../connection-refused.ts'
import type { Postgres } from './postgres.ts'

/** The properties of a database server that stored data depends on. */
export interface ServerState {
  readonly version: string
  /** Whether it finds a page that was damaged on the disk. */
  readonly hasChecksums: boolean
}

interface ServerRow extends ServerState {
  readonly fsync: string
  readonly fullPageWrites: string
}

const MIN_VERSION = 14

/**
 * Checks that a commit survives a power cut, and that connections keep their sessions.
 * @throws {ConnectionRefused} with the setting that is wrong
 */
export async function checkServer(postgres: Postgres): Promise<ServerState> {
  const [server] = await postgres.run(sql<ServerRow>`
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
