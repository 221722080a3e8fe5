import type { Carried } from '@hookline/protocol'
import { type RawBuilder, sql } from 'kysely'
import { claimedNotice, countedOf, type NoticeRow, SELECT_NOTICES } from '../../../store/notices.ts'
import { arrays } from '../../postgres/arrays.ts'
import { fromText } from '../../postgres/text.ts'
import { type Given, isWaiting, type QueueTable } from '../queue/queue-table.ts'

/** The table `notices` as a queue. */
export const NOTICE_TABLE: QueueTable<Carried, NoticeRow> = {
  name: 'notices',
  select: sql<NoticeRow>`${sql.raw(SELECT_NOTICES)}`,
  claimedOf: (row, parts) =>
    claimedNotice(
      { ...row, source_id: fromText(row.source_id), user_id: fromText(row.user_id) },
      parts.partsIn(row.webhooks),
    ),
  write,
}

/** Writes only notices that exist. None leaves a final state. */
function write(given: readonly Given[]): RawBuilder<unknown> {
  const all = given.map(({ delivery }) => delivery)
  const counted = all.map(countedOf)
  return sql`
    given AS MATERIALIZED (
      SELECT * FROM unnest(
        ${arrays.texts(all.map(({ id }) => id))}, ${arrays.texts(all.map(({ state }) => state))},
        ${arrays.ints(all.map(({ rounds }) => rounds))}, ${arrays.bigints(all.map(({ dueAt }) => dueAt))},
        ${arrays.bigints(counted.map(({ endedAt }) => endedAt))}, ${arrays.ints(counted.map(({ attempts }) => attempts))},
        ${arrays.texts(given.map(({ webhooks }) => webhooks))}, ${arrays.booleans(all.map(isWaiting))}
      ) AS given (id, state, rounds, due_at, ended_at, attempts, webhooks, is_waiting)),
    written AS (
      UPDATE notices SET state = given.state, rounds = given.rounds, due_at = given.due_at, ended_at = given.ended_at,
        attempts = given.attempts, webhooks = given.webhooks, is_waiting = given.is_waiting
      FROM given JOIN kept ON kept.id = given.id
      WHERE notices.id = given.id AND (kept.state IN ('pending', 'held') OR kept.state = given.state)
        AND kept.rounds <= given.rounds AND given.id NOT IN (SELECT id FROM refused)
      RETURNING notices.id)`
}
