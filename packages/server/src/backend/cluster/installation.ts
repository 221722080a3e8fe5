import { sql } from 'kysely'
import { JetStreamLog, type JetStreamLogOptions } from './jetstream/jetstream-log.ts'
import { StreamMismatchError } from './jetstream/log-stream.ts'
import type { NatsLink } from './jetstream/nats-link.ts'
import type { Postgres } from './postgres/postgres.ts'

type InstallationRow = JetStreamLogOptions['installation'] & { readonly stream: string | null }

/** Opens the log of a database. @throws {StreamMismatchError} for another installation's stream @throws {BackendUnavailableError} */
export async function openLogOf(
  postgres: Postgres,
  link: NatsLink,
  options: Omit<JetStreamLogOptions, 'installation'>,
): Promise<JetStreamLog> {
  const installation = await readInstallation(postgres)
  refuseOther(installation, `${options.prefix}_log`)
  const log = await JetStreamLog.open(link, { ...options, installation })
  try {
    await record(postgres, log.name, link.servers)
  } catch (error) {
    await log[Symbol.asyncDispose]()
    throw error
  }
  return log
}

async function readInstallation(postgres: Postgres): Promise<InstallationRow> {
  const [row] = await postgres.run(
    sql<InstallationRow>`SELECT id, stream, servers FROM installation`,
  )
  return row!
}

/** If nodes with different prefixes start together on an empty database, the first one decides. */
async function record(postgres: Postgres, stream: string, servers: string): Promise<void> {
  const recorded = await postgres.run(sql`
    UPDATE installation SET stream = ${stream}, servers = ${servers}
    WHERE coalesce(stream, ${stream}) = ${stream} RETURNING id`)
  if (recorded.length === 0) refuseOther(await readInstallation(postgres), stream)
}

function refuseOther({ id, stream, servers }: InstallationRow, expected: string): void {
  if (stream === null || stream === expected) return
  throw new StreamMismatchError(
    `The log of installation ${id} is the stream ${stream} on the NATS servers ${servers}, but HOOKLINE_NATS_PREFIX on this ` +
      `node specifies the stream ${expected}. Set HOOKLINE_NATS_PREFIX to ${stream.replace(/_log$/, '')}, as on the other nodes, or ` +
      'use a separate database for this node.',
  )
}
