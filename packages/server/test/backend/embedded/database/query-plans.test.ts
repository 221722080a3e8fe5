import { join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { DeliveryFilter } from '../../../../src/backend/deliveries.ts'
import type { EventFilter } from '../../../../src/backend/events.ts'
import { CorruptionWatch } from '../../../../src/backend/embedded/corruption/watch.ts'
import { DataDir } from '../../../../src/backend/embedded/database/data-dir.ts'
import { findPurged } from '../../../../src/backend/embedded/deletions/purge-events.ts'
import { blockOf } from '../../../../src/backend/embedded/log/event-block.ts'
import { SqliteTx } from '../../../../src/backend/embedded/sqlite-store.ts'
import { prepareOperations } from '../../../../src/backend/embedded/write-operations.ts'
import { WriterHost } from '../../../../src/backend/embedded/writer-host.ts'
import { deliveryOf } from '../../conformance/deliveries/recorded-delivery.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { newSecretBox } from '@hookline/testing/engine/new-secret-box'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { migrate, MIGRATIONS } from '../../../../src/backend/embedded/migrations/migrate.ts'
import { listDeliveries } from '../../../../src/backend/store/deliveries.ts'
import { listEvents } from '../../../../src/backend/store/events.ts'
import { walkProfiles } from '../../../../src/backend/store/profiles/load-profiles.ts'

const DEDUPE = { dedupeWindowMs: 60_000 }

/** A connection that records the statements prepared on it. */
class WatchedDatabase extends DatabaseSync {
  readonly statements: string[] = []

  override prepare(sql: string): StatementSync {
    this.statements.push(sql)
    return super.prepare(sql)
  }

  /** The query plans of the statements prepared so far, one step per table read. */
  plans(): { readonly sql: string; readonly steps: readonly string[] }[] {
    return this.statements.map((sql) => {
      const steps = super.prepare(`EXPLAIN QUERY PLAN ${sql}`).all()
      return { sql, steps: steps.map(({ detail }) => String(detail)) }
    })
  }
}

/** Creates a database with the latest schema. */
function makeDatabase(folder: TemporaryFolder): string {
  const file = join(folder.path, 'hookline.db')
  using db = DataDir.openForWriting(file)
  migrate(db, file, MIGRATIONS)
  return file
}

const scansEvents = ({ steps }: { readonly steps: readonly string[] }): boolean =>
  steps.some((step) => step.startsWith('SCAN events'))

test('no write scans the events table', async () => {
  using folder = new TemporaryFolder()
  using db = new WatchedDatabase(makeDatabase(folder))
  const { perform } = prepareOperations(db, DEDUPE)
  const event = acceptedEvent()
  const rows = {
    items: [{ id: event.id, reason: 'x', at: NOON }],
    deliveries: [{ ...deliveryOf(event), webhooks: '[]' }],
  }
  await perform({ name: 'quarantineItems', input: rows })
  const plans = db.plans()
  expect(plans.filter(scansEvents)).toEqual([])
  expect(plans.flatMap(({ steps }) => steps).join('\n')).toContain('(<expr>=? AND message_id=?')
  // Shows that the check can fail.
  db.prepare('SELECT MIN(seq), MAX(seq) FROM events')
  expect(db.plans().filter(scansEvents)).toHaveLength(1)
})

test("a purge finds users' events by indexes", () => {
  using folder = new TemporaryFolder()
  using db = new WatchedDatabase(makeDatabase(folder))
  findPurged(db)
  const plans = db.plans()
  expect(plans.filter(scansEvents)).toEqual([])
  for (const index of ['events_by_user_id', 'events_by_previous_id'])
    expect(plans.flatMap(({ steps }) => steps).join('\n')).toContain(`${index} (<expr>=? AND `)
})

test.each<[string, EventFilter, index: string]>([
  ['messageId', { messageId: 'm' }, 'events_by_message_id (<expr>=? AND message_id=?'],
  ['userId', { userId: 'u1' }, 'events_by_user_id (<expr>=? AND user_id=?'],
  [
    'userId and all other filters',
    { userId: 'u1', sourceId: 's', type: 'track', event: 'e', text: 't', from: 1, to: NOON * 2 },
    'events_by_user_id (<expr>=? AND user_id=?',
  ],
  ['nothing', {}, 'INTEGER PRIMARY KEY (rowid>? AND rowid<?)'],
  ['a type', { type: 'track' }, 'INTEGER PRIMARY KEY (rowid>? AND rowid<?)'],
])('a list of events by %s uses an index', async (_, filter, index) => {
  using folder = new TemporaryFolder()
  const file = makeDatabase(folder)
  await using host = new WriterHost({ file, ...DEDUPE }, newSecretBox(), new CorruptionWatch(file))
  await host.writer.run('appendEvents', blockOf([acceptedEvent()]))
  using reader = new WatchedDatabase(file, { readOnly: true })
  await listEvents(new SqliteTx(reader), { filter, page: { limit: 2 } })
  const plans = reader.plans()
  expect(plans.filter(scansEvents)).toEqual([])
  const list = plans.find(({ sql }) => sql.includes('ORDER BY seq DESC'))
  expect(list?.steps).toHaveLength(1)
  expect(list?.steps[0]).toContain(index)
})

test.each<DeliveryFilter>([
  {},
  { eventId: acceptedEvent().id },
  { destinationId: 'dst_a', from: NOON },
  { state: 'rejected', to: NOON },
  { waiting: true },
  { class: 'http_5xx', status: 503 },
])('a list of deliveries by %j uses the primary key', async (filter) => {
  using folder = new TemporaryFolder()
  using db = new WatchedDatabase(makeDatabase(folder))
  await listDeliveries(new SqliteTx(db), { filter, page: { limit: 2 } })
  for (const { steps } of db.plans())
    expect(steps[0]).toBe('SEARCH deliveries USING PRIMARY KEY (id>? AND id<?)')
})

test('each batch of a walk for a computation reads only the announcements of its users', async () => {
  using folder = new TemporaryFolder()
  using db = new WatchedDatabase(makeDatabase(folder))
  db.exec(
    `INSERT INTO identities VALUES (1, 'default', 'user', 'u1', 1, 1, NULL, NULL, '{}', 0, 1, NULL, NULL)`,
  )
  const walk = { space: 'default', after: 0, clauses: [], computationId: 'aud_a' }
  await walkProfiles(new SqliteTx(db), walk)
  const announced = db.plans().filter(({ sql }) => sql.includes('JOIN announced'))
  expect(announced).toHaveLength(1)
  expect(announced[0]!.steps).toContain('SEARCH announced USING PRIMARY KEY (user_id=?)')
})
