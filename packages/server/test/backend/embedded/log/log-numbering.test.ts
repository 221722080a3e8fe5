import type { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { OpenLog } from './open-log.ts'

/** The seq of the first event appended to a database with this change. */
async function firstSeq(change: (db: DatabaseSync) => void): Promise<unknown> {
  await using open = new OpenLog(change)
  await open.log.append([acceptedEvent()])
  return open.reader.prepare('SELECT MAX(seq) AS seq FROM events').get()?.['seq']
}

const event = `INSERT INTO events (seq, id, source_id, message_id, type, received_at, warnings, body, rest, checksum)
  VALUES (5, 'evt_5', 'src_a', 'm', 'track', 0, '', '{}', '{}', 0)`
const purge = (step: string): string =>
  `INSERT INTO deletions (id, step, document, purge_through) VALUES ('del_a', '${step}', '{}', 9)`

test.each<[string, string, number]>([
  ['at 1 in an empty log', '', 1],
  ['after the last event', event, 6],
  ['after the position of the consumer', `${event}; UPDATE log_position SET acked = 7`, 8],
  ['after the cursor of a follower', `${event}; INSERT INTO cursors VALUES ('p', 8)`, 9],
  ['after the range of an unfinished purge', `${event}; ${purge('purge')}`, 10],
  ['regardless of finished purges', `${event}; ${purge('done')}`, 6],
])('numbers start %s', async (_, sql, seq) => {
  expect(await firstSeq((db) => db.exec(sql))).toBe(seq)
})

test('numbers of a failed transaction are not reused', async () => {
  await using open = new OpenLog()
  const [first, second] = [acceptedEvent(), acceptedEvent()]
  await open.log.append([first])
  await expect(open.log.append([acceptedEvent(), first])).rejects.toThrow('UNIQUE')
  await open.log.append([second])
  const rows = open.reader.prepare('SELECT seq, id FROM events ORDER BY seq').all()
  expect(rows).toMatchObject([
    { seq: 1, id: first.id },
    { seq: 4, id: second.id },
  ])
})
