import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readIfThere } from '../../../util/durable-file.ts'
import type { StoppedData, StoredRow } from '../../stopped-data.ts'
import { readableEventOf } from '../../store/event-rows.ts'
import { DATABASE_NAME, DataDir } from '../database/data-dir.ts'
import { boxThatOpens } from '../database/encryption-key.ts'
import { openedText } from '../database/opened-text.ts'
import { KEY_FILES } from '../file-keys.ts'
import { RECORDED_POSITIONS } from '../log/log-numbering.ts'
import { type EmbeddedOptions, prepareDatabase } from '../open.ts'
import { UnusableDatabase } from './stopped-database.ts'

/**
 * Opens the data of a stopped service to move it elsewhere. It is brought to the current schema first, as the next start would.
 * @throws {DataDirInUse} where a service runs on the folder
 * @throws {UnusableDatabase} where there is no database; otherwise what `openEmbeddedBackend` throws
 */
export function openStoppedData(options: Omit<EmbeddedOptions, 'maxWaitingBytes'>): StoppedData {
  using stack = new DisposableStack()
  const { dataDir, encryptionKey } = options
  const isThere = existsSync(join(dataDir, DATABASE_NAME))
  if (!isThere) throw new UnusableDatabase(`${dataDir} has no database.`)
  const { databaseFile } = stack.use(new DataDir(dataDir))
  const { box } = prepareDatabase(databaseFile, options, (used) =>
    boxThatOpens(dataDir, encryptionKey, used),
  )
  const reader = stack.use(DataDir.openForReading(databaseFile))
  const state = reader
    .prepare(
      `SELECT hash_seed, commits, (SELECT COALESCE(MAX(seq), 0) FROM (${RECORDED_POSITIONS})) AS last
       FROM log_position`,
    )
    .get()!
  const open = stack.move()
  return {
    // The seed is a random number of the file, and each write of a service has a number.
    identity: `${String(state['hash_seed'])}.${String(state['commits'])}`,
    lastPosition: Number(state['last']),
    keys: box.keys,
    receiptKey: readIfThere(join(dataDir, KEY_FILES.receipts)),
    rows: (select, ...values) => reader.prepare(select).iterate(...values) as Iterable<StoredRow>,
    // The checksum covers no anonymousId, which only the other engine has in a column.
    eventOf: ({ anonymous_id: _, ...row }) => readableEventOf(row),
    open: (sealed, label) => openedText(box, sealed, label),
    [Symbol.dispose]: () => open.dispose(),
  }
}
