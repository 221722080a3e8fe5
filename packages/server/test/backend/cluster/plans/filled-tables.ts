import { idFrom } from '@hookline/protocol'
import { sql } from 'kysely'
import { DAILY_TABLES, partitionOf } from '../../../../src/backend/cluster/postgres/days.ts'
import { DAY_MS } from '../../../../src/backend/days.ts'
import { createDay } from '../../../../src/backend/cluster/upkeep/partitions.ts'
import { DAY, type ErasedCluster } from '../erasure/erased-cluster.ts'

/** Events per day. */
export const EVENTS = 40_000
const DAYS = [DAY - 1, DAY]
const PROFILES = 60_000

/** The id of the nth event of a day or of its delivery. */
export function idOf(prefix: 'evt' | 'msg', day: number, n: number): string {
  const bytes = Buffer.alloc(10)
  bytes.writeUInt32BE(n, 6)
  return idFrom(prefix, day * DAY_MS + n, bytes)
}

/** Fills two days and the profile tables like a busy service, and updates PostgreSQL's statistics. */
export async function fillTables({ postgres }: ErasedCluster): Promise<void> {
  for (const [index, day] of DAYS.entries()) {
    await postgres.write(async (transaction) => {
      await createDay(transaction, day)
    })
    await fillDay(postgres, day, index * EVENTS)
  }
  await fillProfileTables(postgres)
  for (const day of DAYS)
    for (const { name } of DAILY_TABLES)
      await postgres.run(sql`ANALYZE ${sql.id(partitionOf(name, day))}`)
  await postgres.run(sql`ANALYZE`)
}

async function fillDay(
  postgres: ErasedCluster['postgres'],
  day: number,
  before: number,
): Promise<void> {
  const ids = (prefix: 'evt' | 'msg') =>
    Array.from({ length: EVENTS }, (_, n) => idOf(prefix, day, n))
  const start = day * DAY_MS
  await postgres.run(sql`
    INSERT INTO events (id, seq, log_position, source_id, message_id, type, user_id, anonymous_id, previous_id,
      received_at, warnings, origin, body, rest, checksum)
    SELECT id, ${before}::int + n, n, 'src_' || n % 3, 'message-' || id, CASE n % 10 WHEN 0 THEN 'page' ELSE 'track' END,
      CASE WHEN n % 4 > 0 THEN 'u' || n % 5000 END, 'a' || n % 5000, CASE WHEN n % 100 = 0 THEN 'former' || n END,
      ${start}::bigint + n, '', NULL, convert_to('{"event":"Event ' || n % 20 || '"}' || repeat(' ', 500), 'UTF8'), '{}', 0
    FROM unnest(${ids('evt')}::text[]) WITH ORDINALITY AS given (id, n)`)
  await postgres.run(sql`UPDATE archive SET seq = ${before + EVENTS}`)
  await postgres.run(sql`
    INSERT INTO declined SELECT id, 'dst_declined', CASE n % 20 WHEN 0 THEN 'destination_disabled' ELSE 'integrations' || repeat(' ', 300) END, NULL
    FROM unnest(${ids('evt')}::text[]) WITH ORDINALITY AS given (id, n) WHERE n % 2 = 0`)
  await postgres.run(sql`
    INSERT INTO deliveries (id, event_id, destination_id, state, attempt_count, first_due_at, due_at, webhooks, replay_id, is_waiting)
    SELECT id, event_id, 'dst_' || n % 3, CASE n % 50 WHEN 0 THEN 'rejected' WHEN 1 THEN 'pending' ELSE 'delivered' END,
      1, ${start}::bigint + n, CASE n % 50 WHEN 1 THEN ${start}::bigint + n END, '[]' || repeat(' ', 200), NULL, n % 50 = 1
    FROM unnest(${ids('msg')}::text[], ${ids('evt')}::text[]) WITH ORDINALITY AS given (id, event_id, n)`)
  await postgres.run(sql`
    INSERT INTO attempts SELECT id, 'att_' || n, true, '{}' || repeat(' ', 500)
    FROM unnest(${ids('msg')}::text[]) WITH ORDINALITY AS given (id, n) WHERE n % 3 = 0`)
  await postgres.run(sql`
    INSERT INTO waiting_parts (queue, lane, delivery_id, due_at, fence)
    SELECT 'deliveries', 1 + n % 3, id, ${start}::bigint + n, 0
    FROM unnest(${ids('msg')}::text[]) WITH ORDINALITY AS given (id, n) WHERE n % 50 = 1`)
}

async function fillProfileTables(postgres: ErasedCluster['postgres']): Promise<void> {
  const numbers = sql`FROM generate_series(1, ${PROFILES}::int) AS n`
  for (const statement of [
    sql`INSERT INTO identities (id, space, kind, name, profile, is_seen, counts, placeholders, version)
      SELECT n, 'default', 'user', 'u' || n, n, true, '{}' || repeat(' ', 100), 0, n ${numbers}`,
    sql`INSERT INTO identities (id, space, kind, name, profile, is_seen, counts, placeholders, version)
      SELECT n + ${PROFILES}::int, 'default', 'anonymous', 'a' || n, n, true, '{}', 0, 0 ${numbers}`,
    sql`INSERT INTO claims SELECT n + ${PROFILES}::int, n, n, n, 'm' || n, 'evt_' || n, 'src_a', true ${numbers}`,
    sql`INSERT INTO aliases SELECT n, n + 1, n, n, 'm' || n, 'evt_' || n, 'src_a', true ${numbers} WHERE n % 10 = 0`,
    sql`INSERT INTO aliases SELECT n + 1, n, n, n, 'm' || n, 'evt_' || n, 'src_a', true ${numbers} WHERE n % 10 = 0`,
    sql`INSERT INTO identity_traits SELECT n, '{"plan":["pro",1,1,"evt_1","src_a"]}' || repeat(' ', 200) ${numbers}`,
    sql`INSERT INTO computations (id) VALUES ('aud_a'), ('aud_b'), ('aud_list')`,
    sql`INSERT INTO results SELECT n, 1, 'true', n ${numbers} WHERE n % 2 = 0`,
    sql`INSERT INTO announced SELECT 'u' || n, 1, 'true', 1, n ${numbers} WHERE n % 2 = 0`,
    sql`INSERT INTO listed_users SELECT 3, 'u' || n ${numbers} WHERE n % 2 = 0`,
    sql`INSERT INTO fact_clauses (definition, keep_most, fill_through, filled_through) VALUES ('a', 9, 0, 0)`,
    sql`INSERT INTO facts SELECT n, 1, position, position, NULL
      FROM generate_series(1, ${PROFILES}::int) AS n, generate_series(1, 3) AS position`,
    sql`INSERT INTO profiles_state VALUES (true, 0, ${2 * PROFILES}, 100)
      ON CONFLICT (only_row) DO UPDATE SET identities = excluded.identities`,
    sql`INSERT INTO suppressions SELECT n, 'user', 'gone' || n, '', n, 'del_a' ${numbers}`,
    sql`INSERT INTO purged_ids (kind, id, source_id, through, deletion_id, added_at) SELECT 'user', 'gone' || n, '', 1, 'del_a', n ${numbers}`,
    sql`INSERT INTO deletions (id, step, document) SELECT 'del_' || n, 'done', '{}' ${numbers}`,
    sql`INSERT INTO deletion_ids SELECT 'del_' || n, 'user', 'gone' || n ${numbers}`,
    sql`INSERT INTO notices (id, deletion_id, source_id, destination_id, kind, user_id, created_at, state, attempt_count, first_due_at,
        ended_at, attempts, webhooks, is_waiting)
      SELECT 'msg_0' || n, 'del_' || n, 'src_a', 'dst_' || n % 3, 'user', 'gone' || n, n, 'delivered', 1, n, n, 1, '[]', false ${numbers}`,
  ])
    await postgres.run(statement)
}
