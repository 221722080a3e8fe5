import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { createLogger, openService, parseConfig, rebuildInto } from '@hookline/server'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { reportedBy, reportsEvent } from './reported.ts'

const INSERT = `INSERT INTO events (seq, id, source_id, message_id, type, received_at, warnings, body, checksum, rest)
  VALUES (?, ?, 'source', 'message', 'track', 0, '[]', '{}', 0, '{}')`

test('finds the events that the report of a rebuild names, singly and in ranges', async () => {
  using folder = new TemporaryFolder()
  const config = parseConfig({}, { host: '127.0.0.1', port: '0', dataDir: folder.path })
  await (await openService({ config, logger: createLogger('silent') }))[Symbol.asyncDispose]()
  const db = new DatabaseSync(join(folder.path, 'hookline.db'))
  for (const seq of [2, 4, 8]) db.prepare(INSERT).run(seq, `event ${seq}`)
  db.close()
  await rebuildInto(folder.path)
  const reported = reportedBy(folder.path, { events: [] })
  const seqs = Array.from({ length: 10 }, (_, index) => index + 1)
  expect(seqs.filter((seq) => reportsEvent(reported, seq))).toEqual([2, 3, 4, 5, 6, 7, 8])
})
