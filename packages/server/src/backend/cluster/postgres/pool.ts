import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Socket } from 'node:net'
import pg from 'pg'
import type { Redacted } from '../../../util/secrets/redacted.ts'
import { isOutdatedPlan } from './unavailable.ts'

const CONNECT_TIMEOUT_MS = 5_000
const KEEP_ALIVE_MS = 10_000

/** Runs `settings` first on each new connection. */
export function kyselyOn(pool: pg.Pool, settings: string): Kysely<unknown> {
  return new Kysely({ dialect: new PostgresDialect({ pool: preparingPool(pool, settings) }) })
}

export function openPool(url: Redacted, maxConnections: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url.reveal(),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    max: maxConnections,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    application_name: 'hookline',
    types: { getTypeParser: parserOf as typeof pg.types.getTypeParser },
  })
  // An idle connection broke: the next statement opens another one.
  pool.on('error', () => undefined)
  // A connection broke inside a transaction: its next statement rejects.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/** Closes a connection that has received nothing for this long: its waiting statements reject. */
export function endAfterSilence(client: pg.PoolClient, silenceMs: number): void {
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Socket } })
    .connection
  stream.setTimeout(silenceMs, () => stream.destroy())
}

/** The parser of a column type: `bigint` as a number, because times, positions and counts are far below 2^53. */
function parserOf(...[oid, format]: Parameters<typeof pg.types.getTypeParser>): unknown {
  return oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format)
}

/** Prepares frequent statements, which Kysely does not do. */
function preparingPool(pool: pg.Pool, settings: string): PostgresPool {
  const statements = new PreparedStatements()
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  return {
    options: pool.options,
    connect: async () => {
      const client = await pool.connect()
      const known = clients.get(client)
      if (known !== undefined) return known
      try {
        await client.query(settings)
      } catch (error) {
        client.release(true)
        throw error
      }
      const preparing = preparingClient(client, statements)
      clients.set(client, preparing)
      return preparing
    },
    end: () => pool.end(),
  }
}

function preparingClient(
  client: pg.PoolClient,
  statements: PreparedStatements,
): PostgresPoolClient {
  let isOutdated = false
  const query = async (text: string, values: readonly unknown[]) => {
    // Without parameters, the text may have several statements.
    const name = values.length === 0 ? undefined : statements.nameOf(text)
    try {
      return await client.query({ text, values: [...values], ...(name !== undefined && { name }) })
    } catch (error) {
      isOutdated ||= isOutdatedPlan(error)
      throw error
    }
  }
  return {
    // Kysely calls it with a cursor only for streams, which are not used.
    query: query as unknown as PostgresPoolClient['query'],
    release: (destroy) => client.release(destroy === true || isOutdated),
  }
}

/** The execution on which a statement is prepared. Statements built from filters mostly run once. */
const PREPARED_AT_RUN = 4
/** The maximum number of prepared statements, because every connection keeps all of them. */
const MAX_PREPARED = 100
const MAX_COUNTED = 500

/** Names frequent statements, so that each connection parses them once. */
export class PreparedStatements {
  readonly #names = new Map<string, string>()
  readonly #runs = new LRUCache<string, number>({ max: MAX_COUNTED })

  /** The name of the statement; `undefined` if it is not prepared. */
  nameOf(text: string): string | undefined {
    const name = this.#names.get(text)
    if (name !== undefined || this.#names.size === MAX_PREPARED) return name
    const runs = (this.#runs.get(text) ?? 0) + 1
    this.#runs.set(text, runs)
    if (runs === PREPARED_AT_RUN) this.#names.set(text, `hookline_${this.#names.size}`)
    return this.#names.get(text)
  }
}
