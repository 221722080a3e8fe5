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

/** How a text may be spelled where it is stored: as it is, in hexadecimal digits, and in base64 at any place of a longer text. */
function spellings(text: string): string[] {
  const inBase64 = [0, 1, 2].map((before) => {
    const bytes = Buffer.from('x'.repeat(before) + text)
    // The letters at both ends also depend on what is beside the text.
    const from = Math.ceil((before * 4) / 3)
    return bytes.toString('base64').slice(from, Math.floor((bytes.length * 4) / 3))
  })
  return [text, Buffer.from(text).toString('hex'), ...inBase64]
}

/** The columns of all tables of a database whose rows contain a text, in any spelling, with the number of these rows. */
export async function columnsWith(
  databaseUrl: string,
  text: string,
  /** Rows of a table that may have it: a condition in SQL. */
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

/** Also those of TOAST are columns of a table: they are read through it. */
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

/** How many messages all streams of a server have, and how many of them contain a text. */
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
