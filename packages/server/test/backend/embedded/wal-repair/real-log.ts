import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DataDir } from '../../../../src/backend/embedded/database/data-dir.ts'
import {
  type AckedWal,
  repairWal,
  type WalRepair,
} from '../../../../src/backend/embedded/wal-repair/repair-wal.ts'

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24

/** Where a frame begins, counted from 1. */
export function offsetOfFrame({ pageBytes }: RealLog, frame: number): number {
  return HEADER_BYTES + (frame - 1) * (FRAME_HEADER_BYTES + pageBytes)
}

/** The page of each frame, in their order. */
export function pagesOf(made: RealLog): number[] {
  return Array.from({ length: made.acked.frames }, (_, index) =>
    made.wal.readUInt32BE(offsetOfFrame(made, index + 1)),
  )
}

export interface Row {
  readonly id: number
  readonly key: string
  readonly content: string
}

/** The files of a database as they are on disk while it is open, and what is in it. */
export interface RealLog {
  readonly database: Buffer
  readonly wal: Buffer
  readonly rows: readonly Row[]
  readonly acked: AckedWal
  readonly pageBytes: number
  /** Frames of whole transactions that came after the acknowledged ones. */
  readonly tail: number
}

interface Making {
  readonly random: () => number
  readonly transactions?: number
  readonly pageBytes?: number
  /** Transactions that were copied into the database before. */
  readonly checkpointed?: number
  readonly unacknowledged?: number
  /** The log is copied into the database, and stays. */
  readonly isCopied?: boolean
}

/** Made with the flags of the service: rows are added in each transaction, some change, some go. */
export function makeLog(folder: string, making: Making): RealLog {
  const { random, transactions = 100, checkpointed = 50, unacknowledged = 0 } = making
  const { pageBytes = 4096 } = making
  const file = join(folder, `made-${Math.floor(random() * 1e9)}.db`)
  const created = new DatabaseSync(file)
  created.exec(`PRAGMA page_size = ${pageBytes}; CREATE TABLE counts (id INTEGER PRIMARY KEY, n INTEGER);
    CREATE TABLE events (id INTEGER PRIMARY KEY, key TEXT UNIQUE, content TEXT); INSERT INTO counts VALUES (1, 0)`)
  created.close()
  using db = DataDir.openForWriting(file)
  db.exec('PRAGMA wal_autocheckpoint = 0')
  for (let each = 0; each < checkpointed; each++) runTransaction(db, random)
  if (checkpointed > 0) db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  for (let each = 0; each < transactions; each++) runTransaction(db, random)
  const acked = readMark(file)
  for (let each = 0; each < unacknowledged; each++) runTransaction(db, random)
  if (making.isCopied) db.exec('PRAGMA wal_checkpoint(PASSIVE)')
  const tail = readMark(file).frames - acked.frames
  return {
    database: readFileSync(file),
    wal: readFileSync(`${file}-wal`),
    rows: rowsOf(db),
    acked,
    pageBytes,
    tail,
  }
}

function runTransaction(db: DatabaseSync, random: () => number): void {
  db.exec('BEGIN IMMEDIATE')
  const insert = db.prepare('INSERT INTO events (key, content) VALUES (?, ?)')
  for (let rows = Math.ceil(random() * 6); rows > 0; rows--)
    insert.run(word(random, 20), contentOf(random))
  db.exec('UPDATE counts SET n = n + 1')
  if (random() < 0.3)
    db.prepare('UPDATE events SET content = ? WHERE id = ?').run(
      contentOf(random),
      Math.ceil(random() * 100),
    )
  if (random() < 0.1) db.prepare('DELETE FROM events WHERE id = ?').run(Math.ceil(random() * 100))
  db.exec('COMMIT')
}

function contentOf(random: () => number): string {
  const length = random() < 0.05 ? 6_000 : Math.ceil(random() * 300)
  return JSON.stringify({
    type: 'track',
    event: word(random, 8),
    userId: word(random, 12),
    text: word(random, length),
  })
}

function word(random: () => number, length: number): string {
  return Array.from({ length }, () => Math.floor(random() * 36).toString(36)).join('')
}

/** As it stands in the index of the log, beside the database. */
function readMark(file: string): AckedWal {
  const index = readFileSync(`${file}-shm`)
  const littleEndian = new DataView(index.buffer, index.byteOffset)
  return {
    frames: littleEndian.getUint32(16, true),
    salt1: index.readUInt32BE(32),
    salt2: index.readUInt32BE(36),
  }
}

function rowsOf(db: DatabaseSync): Row[] {
  const all = db.prepare('SELECT id, key, content FROM events ORDER BY id').all()
  return all.map((row) => ({ ...row })) as unknown as Row[]
}

export interface Repaired {
  readonly repair: WalRepair
  readonly wal: Buffer
  /** `undefined`: the database cannot be read. */
  readonly rows: readonly Row[] | undefined
  readonly integrity: unknown
}

/** Writes the files with a damaged log, repairs it, and reads the database. */
export function repairDamaged(folder: string, made: RealLog, damaged: Buffer): Repaired {
  const file = join(folder, 'damaged.db')
  // In place of a file that SQLite has just synced, a new one is written faster.
  for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
  writeFileSync(file, made.database)
  writeFileSync(`${file}-wal`, damaged)
  const repair = repairWal(`${file}-wal`, made.acked)
  const wal = readFileSync(`${file}-wal`)
  using db = DataDir.openForReading(file)
  return { repair, wal, ...readAll(db) }
}

function readAll(db: DatabaseSync): Pick<Repaired, 'rows' | 'integrity'> {
  try {
    const integrity = db.prepare('PRAGMA integrity_check').get()!['integrity_check']
    return { rows: rowsOf(db), integrity }
  } catch (error) {
    return { rows: undefined, integrity: String(error) }
  }
}
