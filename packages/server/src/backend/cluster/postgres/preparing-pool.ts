import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import { isOutdatedPlan } from './unavailable.ts'
import { PreparedStatements } from './prepared-statements.ts'

/**
 * The pool for Kysely, which runs each statement by its text: those that come often are prepared. A new connection first runs
 * `settings`.
 */
export function preparingPool(pool: pg.Pool, settings: string): PostgresPool {
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
    // Without parameters, it may be several statements.
    const name = values.length === 0 ? undefined : statements.nameOf(text)
    try {
      return await client.query({ text, values: [...values], ...(name !== undefined && { name }) })
    } catch (error) {
      isOutdated ||= isOutdatedPlan(error)
      throw error
    }
  }
  return {
    // Without a cursor: nothing here has one.
    query: query as unknown as PostgresPoolClient['query'],
    release: (destroy) => client.release(destroy === true || isOutdated),
  }
}
