import { sql } from 'kysely'
import type { Postgres } from '../postgres/postgres.ts'

/** Rows of each table that one call removes. */
const SOME = 500

/** Removes finished replays, and quarantine items whose event, delivery or notice is gone. */
export async function removeOthers(postgres: Postgres, before: number): Promise<void> {
  await postgres.run(sql`
    WITH gone AS (DELETE FROM replays
      WHERE id IN (SELECT id FROM replays WHERE finished_at < ${before} LIMIT ${SOME}) RETURNING id)
    DELETE FROM replay_ends USING gone WHERE replay_id = gone.id`)
  await postgres.run(sql`
    DELETE FROM quarantine WHERE id IN (SELECT id FROM quarantine WHERE at < ${before}
      AND NOT EXISTS (SELECT FROM events WHERE events.id = quarantine.id)
      AND NOT EXISTS (SELECT FROM deliveries WHERE deliveries.id = quarantine.id)
      AND NOT EXISTS (SELECT FROM notices WHERE notices.id = quarantine.id) LIMIT ${SOME})`)
}
