import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import pg from 'pg'
import { natsConnectionOptions } from '../../../server/src/backend/cluster/jetstream/nats-link.ts'
import { Redacted } from '../../../server/src/util/secrets/redacted.ts'

interface Column {
  readonly table: string
  readonly name: string
  readonly isBytes: boolean
}

/** The forms in which a string may be stored: unchanged, as hexadecimal, and as base64 at any offset in a longer text. */
function spellings(text: string): string[] {
  const inBase64 = [0, 1, 2].map((before) => {
    const bytes = Buffer.from('x'.repeat(before) + text)
    // The characters at both ends also depend on the adjacent bytes.
    const from = Math.ceil((before * 4) / 3)
    return bytes.toString('base64').slice(from, Math.floor((bytes.length * 4) / 3))
  })
  return [text, Buffer.from(text).toString('hex'), ...inBase64]
}

/** The columns in a database that contain a text in any of its `spellings`, with the number of rows. */
export async function columnsWith(
  databaseUrl: string,
  text: string,
  /** By table, an SQL condition for rows that may contain it. */
  except: Readonly<Record<string, string>> = {},
): Promise<Readonly<Record<string, number>>> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    options: '-c search_path=hookline',
  })
  await client.connect()
  try {
    const found: Record<string, number> = {}
    for (const column of await columnsOf(client)) {
      const { table, name } = column
      const { rows } = await client.query<{ readonly n: number }>(
        `SELECT count(*)::int AS n FROM ${table} WHERE NOT (${except[table] ?? 'false'})
           AND EXISTS (SELECT FROM unnest($1::text[]) AS spelling WHERE ${isIn(column)})`,
        [spellings(text)],
      )
      if (rows[0]!.n > 0) found[`${table}.${name}`] = rows[0]!.n
    }
    return found
  } finally {
    await client.end()
  }
}

function isIn({ name, isBytes }: Column): string {
  const bytes = `position(convert_to(spelling, 'UTF8') IN "${name}") > 0`
  return isBytes ? bytes : `position(spelling IN "${name}"::text) > 0`
}

/** Values in TOAST are read through the columns of their tables. */
async function columnsOf(client: pg.Client): Promise<readonly Column[]> {
  const { rows } = await client.query<Column>(`
    SELECT attrelid::regclass::text AS table, attname AS name, atttypid = 'bytea'::regtype AS "isBytes"
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
    JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE relkind IN ('r', 'm') AND attnum > 0 AND NOT attisdropped
      AND nspname NOT IN ('pg_catalog', 'information_schema')
    ORDER BY 1, attnum`)
  return rows
}

/** The number of messages in all streams of a server, and how many of them contain a text. */
export async function messagesWith(
  natsUrl: string,
  text: string,
): Promise<{ readonly all: number; readonly found: number }> {
  const connection = await connect(natsConnectionOptions({ url: new Redacted(natsUrl) }))
  try {
    const manager = await jetstreamManager(connection)
    const messages: Buffer[] = []
    for await (const { config } of manager.streams.list())
      messages.push(...(await messagesOf(manager, config.name)))
    const found = messages.filter((bytes) => spellings(text).some((each) => bytes.includes(each)))
    return { all: messages.length, found: found.length }
  } finally {
    await connection.close()
  }
}

async function messagesOf({ streams }: JetStreamManager, stream: string): Promise<Buffer[]> {
  const messages: Buffer[] = []
  for (let next = 1; ;) {
    const query = { seq: next, next_by_subj: '>' }
    const message = await streams.getMessage(stream, query)
    if (message === null) return messages
    messages.push(Buffer.from(message.data))
    next = message.seq + 1
  }
}
