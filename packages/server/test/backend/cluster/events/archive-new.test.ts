import { describe, expect, test } from 'vitest'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { type ClusterHarness, openClusterHarness } from '../open-cluster-harness.ts'

type Accepted = ReturnType<typeof acceptedEvent>

const archive = ({ backend }: ClusterHarness, events: readonly Accepted[]) =>
  backend.events.archive(events.map((event) => ({ event, declined: [] })))

/** Archives events through the slow path: one known event makes the archive look up every event. */
async function archivedSlowly(harness: ClusterHarness, events: readonly Accepted[]) {
  const first = acceptedEvent({ at: NOON - 1 })
  await archive(harness, [first])
  await archive(harness, [first, ...events])
}

const columns = (harness: ClusterHarness, { id }: Accepted) =>
  harness.sql(`SELECT id, source_id, message_id, type, user_id, anonymous_id, previous_id, received_at, warnings, origin, body, rest,
    duplicates, last_duplicate_at FROM events WHERE id = '${id}'`)

describe.skipIf(clusterSkipReason() !== undefined)('events that are all new', () => {
  test('are archived like events in a batch with a known one', async () => {
    await using fast = await openClusterHarness()
    await using slow = await openClusterHarness()
    const odd = 'a\u0000b\uf8ff0"\\{},NULL'
    const events = [
      acceptedEvent(),
      acceptedEvent({ userId: odd, anonymousId: odd, messageId: odd, sourceId: odd, warnings: [] }),
      acceptedEvent({ type: 'alias', previousId: 'before', userId: 'after' }),
    ]
    await archive(fast, events)
    await archivedSlowly(slow, events)
    for (const event of events)
      expect(await columns(fast, event)).toEqual(await columns(slow, event))
    expect(await fast.sql('SELECT seq FROM events ORDER BY seq')).toEqual(
      [1, 2, 3].map((seq) => ({ seq: String(seq) })),
    )
  })

  test('keep the reason why a destination declined them', async () => {
    await using harness = await openClusterHarness()
    const event = acceptedEvent()
    const declined = [
      { destinationId: 'dst_a', reason: 'destination_disabled' as const, since: NOON },
    ]
    await harness.backend.events.archive([{ event, declined }])
    expect(await harness.backend.events.find(event.id)).toMatchObject({ declined })
  })

  test.for([
    [
      'purge',
      `INSERT INTO purged_ids (kind, id, source_id, through, deletion_id, added_at)
        VALUES ('user', 'gone', '', 9007199254740991, 'del_a', 0)`,
    ],
    [
      'suppression',
      `INSERT INTO suppressions (seq, kind, user_id, source_id, since, deletion_id)
        VALUES (1, 'user', 'gone', '', 0, 'del_a')`,
    ],
  ])('are refused individually if a %s covers one of them', async ([, insert]) => {
    await using harness = await openClusterHarness()
    await harness.sql(insert!)
    const [gone, stays] = [acceptedEvent({ userId: 'gone' }), acceptedEvent({ userId: 'stays' })]
    await archive(harness, [gone, stays])
    expect(await harness.backend.events.find(gone.id)).toBeUndefined()
    expect(await harness.backend.events.find(stays.id)).toBeDefined()
  })
})

describe.skipIf(clusterSkipReason() !== undefined)('the plan of a lookup', () => {
  test('reads few index entries per event, although it was made when the table was empty', async () => {
    await using harness = await openClusterHarness()
    const [batches, size] = [40, 100]
    const now = Date.now()
    for (let batch = 0; batch < batches; batch++)
      await archive(
        harness,
        Array.from({ length: size }, (_, index) =>
          acceptedEvent({ at: now + batch, userId: `u${index}` }),
        ),
      )
    // Connections report their statistics when they are idle or close.
    await harness.reopen()
    const read = async () => {
      const [row] = await harness.sql(
        `SELECT sum(idx_tup_read) AS read FROM pg_stat_user_indexes WHERE relname ~ '^(events|declined|purged|suppr|counted)'`,
      )
      return Number(row!['read'])
    }
    expect((await harness.sql('SELECT seq FROM archive'))[0]).toEqual({
      seq: String(batches * size),
    })
    expect(await read()).toBeLessThan(2 * batches * size)
  })
})
