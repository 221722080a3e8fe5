import type { Delivery } from '@hookline/protocol'
import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { NewNotice } from '../../notices.ts'
import { type Given, isWaiting, UNSPLIT_LANES } from '../deliveries/queue/queue-table.ts'
import { toText } from '../postgres/text.ts'

/** Keeps new notices, which have no parts yet. One that exists stays as it is. */
export async function createNotices(
  transaction: Transaction<unknown>,
  notices: readonly NewNotice[],
): Promise<void> {
  const texts = (of: (notice: NewNotice) => string): string[] => notices.map(of).map(toText)
  await sql`
    WITH created AS (
      INSERT INTO notices (id, deletion_id, source_id, destination_id, kind, user_id, created_at, state, rounds,
        first_due_at, due_at, attempts, webhooks, is_waiting)
      SELECT id, deletion_id, source_id, destination_id, kind, user_id, created_at, 'pending', 0, due_at, due_at, 0, '[]', TRUE
      FROM unnest(${texts(({ id }) => id)}::text[], ${texts(({ deletionId }) => deletionId)}::text[],
        ${texts(({ sourceId }) => sourceId)}::text[], ${texts(({ destinationId }) => destinationId)}::text[],
        ${texts(({ subject }) => subject.kind)}::text[], ${texts(({ subject }) => subject.id)}::text[],
        ${notices.map(({ createdAt }) => createdAt)}::bigint[], ${notices.map(({ dueAt }) => dueAt)}::bigint[])
        AS new (id, deletion_id, source_id, destination_id, kind, user_id, created_at, due_at)
      ORDER BY id ON CONFLICT (id) DO NOTHING RETURNING id, due_at)
    INSERT INTO waiting_parts (queue, lane, delivery_id, due_at, fence)
    SELECT 'notices', ${UNSPLIT_LANES.notices}::int, id, due_at, nextval('fences') FROM created`.execute(
    transaction,
  )
}

/** What a record writes (`QueueTable.write`): only of notices that exist, and none leaves an end. */
export function writeNotices(given: readonly Given[]): RawBuilder<unknown> {
  const numbers = (of: (delivery: Delivery) => number | null) =>
    given.map(({ delivery }) => of(delivery))
  return sql`
    given AS MATERIALIZED (
      SELECT * FROM unnest(${given.map(({ delivery }) => delivery.id)}::text[],
        ${given.map(({ delivery }) => delivery.state)}::text[], ${numbers(({ rounds }) => rounds)}::int[],
        ${numbers(({ dueAt }) => dueAt)}::bigint[], ${numbers(endedAtOf)}::bigint[], ${numbers(attemptsOf)}::int[],
        ${given.map(({ webhooks }) => webhooks)}::text[], ${given.map(({ delivery }) => isWaiting(delivery))}::bool[])
        AS given (id, state, rounds, due_at, ended_at, attempts, webhooks, is_waiting)),
    written AS (
      UPDATE notices SET state = given.state, rounds = given.rounds, due_at = given.due_at, ended_at = given.ended_at,
        attempts = given.attempts, webhooks = given.webhooks, is_waiting = given.is_waiting
      FROM given JOIN kept ON kept.id = given.id
      WHERE notices.id = given.id AND (kept.state IN ('pending', 'held') OR kept.state = given.state)
        AND kept.rounds <= given.rounds AND given.id NOT IN (SELECT id FROM refused)
      RETURNING notices.id)`
}

/** HTTP requests made: the number of the last attempt on each webhook. */
function attemptsOf({ webhooks }: Delivery): number {
  return webhooks.reduce((sum, { last }) => sum + (last?.number ?? 0), 0)
}

/** When the last response arrived; `null` while it waits, or where there was no attempt. */
function endedAtOf({ state, webhooks }: Delivery): number | null {
  const lasts = webhooks.flatMap(({ last }) => last ?? [])
  if (state === 'pending' || state === 'held' || lasts.length === 0) return null
  return Math.max(...lasts.map(({ startedAt, durationMs }) => Math.round(startedAt + durationMs)))
}
