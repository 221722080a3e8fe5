import { existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { repairWal } from '../../../../src/backend/embedded/wal-repair/repair-wal.ts'
import { seededRandom } from '@hookline/testing/run/seeded-random'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import {
  makeLog,
  offsetOfFrame,
  pagesOf,
  type RealLog,
  type Repaired,
  repairDamaged,
  type Row,
} from './real-log.ts'
import { toBigEndian } from './to-big-endian.ts'
import { SEED } from '@hookline/testing/run/seed'

const random = seededRandom(SEED)
const folder = new TemporaryFolder()
const made = makeLog(folder.path, { random })
const last = made.acked.frames
afterAll(() => folder[Symbol.dispose]())

const below = (limit: number): number => Math.floor(random() * limit)
const anyFrame = (): number => 1 + below(last)

function damage(change: (wal: Buffer) => void, log: RealLog = made): Repaired {
  const wal = Buffer.from(log.wal)
  change(wal)
  return repairDamaged(folder.path, log, wal)
}

const flipBit = (wal: Buffer, at: number): void => {
  wal[at]! ^= 1 << below(8)
}

const isUnclear = ({ repair }: Repaired): boolean =>
  repair.damaged.some((each) => !each.corrected && !each.isReplacedLater)

function expectEverything(repaired: Repaired, log: RealLog = made): void {
  expect(repaired.integrity).toBe('ok')
  // A difference would be thousands of lines.
  const isEqual = isDeepStrictEqual(repaired.rows, log.rows)
  expect({ isEqual, ...repaired.repair }).toMatchObject({ isEqual: true })
  expect(repaired.repair.frames).toBe(log.acked.frames)
}

describe(`a damaged write-ahead log (seed ${SEED})`, () => {
  const inHeader = (): number => below(32)
  const inFrameHeader = (): number => offsetOfFrame(made, anyFrame()) + below(24)
  // Of the four bytes of a word, the checksum says of these exactly which bit it was.
  const inData = (): number => offsetOfFrame(made, anyFrame()) + 24 + below(1024) * 4 + below(2)

  test.for([
    ['header', 30, inHeader],
    ['header of a frame', 50, inFrameHeader],
    ['data', 50, inData],
  ] as const)('has every row after a bit was flipped in the %s', ([, cases, place]) => {
    for (let each = 0; each < cases; each++) {
      const repaired = damage((wal) => flipBit(wal, place()))
      if (!isUnclear(repaired)) expectEverything(repaired)
      else expect(place).toBe(inFrameHeader)
      expect(repaired.repair.state).toBe('repaired')
    }
  })

  test('has every row after a bit was flipped anywhere, or says that a page may be wrong', () => {
    let unclear = 0
    for (let each = 0; each < 60; each++) {
      const repaired = damage((wal) => flipBit(wal, below(wal.length)))
      if (isUnclear(repaired)) unclear++
      else expectEverything(repaired)
    }
    // About one of a hundred: the upper bits of a word have several explanations.
    expect(unclear).toBeLessThan(10)
  })

  test('has every row after bits were flipped in several frames, also in neighbours', () => {
    for (let each = 0; each < 20; each++) {
      const first = 1 + below(last - 6)
      const frames = [first, first + 1, first + 2, first + 4]
      const repaired = damage((wal) => {
        for (const frame of frames) flipBit(wal, offsetOfFrame(made, frame) + 24 + below(1024) * 4)
      })
      expectEverything(repaired)
      expect(repaired.repair.damaged.map(({ frame }) => frame)).toEqual(frames)
    }
  })

  test('has every row after a stored checksum and the data of the next frame were damaged', () => {
    for (let each = 0; each < 10; each++) {
      const frame = 1 + below(last - 2)
      const repaired = damage((wal) => {
        wal.fill(0xa5, offsetOfFrame(made, frame) + 16, offsetOfFrame(made, frame) + 24)
        flipBit(wal, offsetOfFrame(made, frame + 1) + 24 + below(1024) * 4)
      })
      expectEverything(repaired)
    }
  })

  test.for(['the header', 'the header of a frame'])(
    'has every row after %s was overwritten with zeros',
    (what) => {
      for (let each = 0; each < 12; each++) {
        // What the last frame was, no later one can tell.
        const at = offsetOfFrame(made, 1 + below(last - 1))
        const [from, to] = what === 'the header' ? [0, 32] : [at, at + 24]
        expectEverything(damage((wal) => wal.fill(0, from, to)))
      }
    },
  )

  test('has every row after both its header and its first frame lost a bit', () => {
    for (let each = 0; each < 10; each++)
      expectEverything(
        damage((wal) => {
          flipBit(wal, below(24))
          flipBit(wal, offsetOfFrame(made, 1) + 24 + below(1024) * 4)
        }),
      )
  })

  test('has every row after a page was overwritten that a later frame has, too', () => {
    const pages = pagesOf(made)
    const replaced = pages.flatMap((page, index) =>
      pages.lastIndexOf(page) > index ? [index + 1] : [],
    )
    for (let each = 0; each < 10; each++) {
      const frame = replaced[below(replaced.length)]!
      const repaired = damage((wal) => overwritePage(wal, made, frame))
      expectEverything(repaired)
      const page = pages[frame - 1]!
      const expected = { frame, page, corrected: false, isReplacedLater: true }
      expect(repaired.repair.damaged).toEqual([expected])
    }
  })

  test('has the rows of all other pages after a page was overwritten, and says which', () => {
    const frame = lastLeaf(made)
    const { repair, integrity } = damage((wal) => overwritePage(wal, made, frame))
    const page = pagesOf(made)[frame - 1]!
    expect(repair.damaged).toEqual([{ frame, page, corrected: false, isReplacedLater: false }])
    expect(integrity).not.toBe('ok')
    const found = readOneByOne()
    expect(found.length).toBeGreaterThan(made.rows.length - 100)
    expect(found.length).toBeLessThan(made.rows.length)
    const expected = made.rows.filter(({ id }) => found.some((row) => row.id === id))
    expect(found).toEqual(expected)
  })

  test.for([
    [
      'some bytes were overwritten',
      (wal: Buffer): void => {
        const from = below(wal.length - 64)
        for (let at = from; at <= from + below(64); at++) wal[at] = below(256)
      },
    ],
    [
      'a block of the disk was overwritten with zeros',
      (wal: Buffer): void => {
        const bytes = [512, 4096][below(2)]!
        const at = bytes * below(wal.length / bytes)
        wal.fill(0, at, Math.min(at + bytes, wal.length))
      },
    ],
    [
      'frames lost a bit of their data and one of their checksum',
      (wal: Buffer): void => {
        for (let each = 0; each < 4; each++) {
          const at = offsetOfFrame(made, anyFrame())
          flipBit(wal, at + 16 + below(8))
          flipBit(wal, at + 24 + below(4096))
        }
      },
    ],
  ] as const)('has every row or says that a page may be wrong after %s', ([, change]) => {
    for (let each = 0; each < 25; each++) {
      const repaired = damage(change)
      if (repaired.repair.state === 'repaired' && !isUnclear(repaired)) expectEverything(repaired)
    }
  })

  test('says that a page may be wrong after a frame lost a bit of its data, and the one of its checksum that hides it', () => {
    // After the last one but one, no frame says whether the checksum of the last one is right.
    for (const frame of [last - 1, ...Array.from({ length: 10 }, () => 1 + below(last - 1))]) {
      const repaired = damage((wal) => {
        // The last words of a page count once in one half of the checksum: its highest bit changes.
        const at = offsetOfFrame(made, frame)
        wal[at + 24 + made.pageBytes - 1]! ^= 0x80
        wal[at + 20]! ^= 0x80
      })
      if (!isUnclear(repaired)) expectEverything(repaired)
    }
  })

  test('takes no page that has changed much for a new one, where a bit of its data counts as one of its page number', () => {
    // In the checksum, a high bit of this word counts as the same bit of the word with the page number.
    const word = 24 + 460 * 4
    const frames = muchChanged(made)
    expect(frames.length).toBeGreaterThan(10)
    for (const frame of frames) {
      const at = offsetOfFrame(made, frame)
      const repaired = damage((wal) => {
        wal[at + word + 3]! ^= 0x40
        wal[at + 20]! ^= 0x10
      })
      if (!isUnclear(repaired)) expectEverything(repaired)
    }
  })

  test('applies no page of a frame that is of an older log', () => {
    const repaired = damage((wal) => {
      const at = offsetOfFrame(made, last - 40)
      const older = wal.subarray(offsetOfFrame(made, 1), offsetOfFrame(made, 42))
      older.copy(wal, at)
      for (let frame = last - 40; frame <= last; frame++)
        wal.writeUInt32BE(made.acked.salt1 - 1, offsetOfFrame(made, frame) + 8)
    })
    const unknown = { page: 0, corrected: false, isReplacedLater: false }
    expect(repaired.repair.damaged.at(-1)).toEqual({ frame: last, ...unknown })
    expect(repaired.repair).toMatchObject({ state: 'missing', frames: last - 41 })
    expect(repaired.repair.damaged).toHaveLength(41)
    expect(repaired.integrity).toBe('ok')
  })

  test('has every row with checksums of either order of bytes', () => {
    const log = { ...made, wal: toBigEndian(made.wal, made.pageBytes) }
    for (let each = 0; each < 15; each++) {
      const places = [below(32), offsetOfFrame(made, anyFrame()) + 24 + below(1024) * 4 + 3]
      const at = places[each % 2]!
      expectEverything(
        damage((wal) => flipBit(wal, at), log),
        log,
      )
    }
  })

  test.for([512, 65_536])('has every row with pages of %i bytes', (pageBytes) => {
    using other = new TemporaryFolder()
    const log = makeLog(other.path, { random, pageBytes, transactions: 30 })
    for (let each = 0; each < 10; each++) {
      const at = [below(32), offsetOfFrame(log, 1 + below(log.acked.frames)) + 24 + 4 * below(128)]
      expectEverything(
        damage((wal) => flipBit(wal, at[each % 2]!), log),
        log,
      )
    }
  })

  test('has every row where the whole database is in the log', () => {
    using other = new TemporaryFolder()
    const log = makeLog(other.path, { random, transactions: 20, checkpointed: 0 })
    for (let each = 0; each < 5; each++)
      expectEverything(
        damage((wal) => wal.fill(0, 0, 32), log),
        log,
      )
  })

  test('has every row after a page was overwritten that the database has already', () => {
    using other = new TemporaryFolder()
    const log = makeLog(other.path, { random, isCopied: true })
    const frame = lastLeaf(log)
    const repaired = damage((wal) => overwritePage(wal, log, frame), log)
    expectEverything(repaired, log)
    expect(repaired.repair.damaged).toMatchObject([{ frame, corrected: true }])
  })
})

describe('after the acknowledged frames', () => {
  const log = makeLog(folder.path, { random, unacknowledged: 10, checkpointed: 20 })
  const hurt = (wal: Buffer): void => flipBit(wal, offsetOfFrame(log, 20) + 24)

  test('complete transactions stay when the log is repaired', () => {
    const repaired = damage(hurt, log)
    expectEverything(repaired, log)
    expect(repaired.wal).toHaveLength(offsetOfFrame(log, log.acked.frames + log.tail + 1))
  })

  test('a bad frame ends the log as it does in SQLite, and is not repaired', () => {
    for (let each = 0; each < 10; each++) {
      const at = offsetOfFrame(log, log.acked.frames + 1 + below(log.tail)) + below(24 + 4096)
      const whole = damage((wal) => (wal[at]! ^= 4), log)
      expect(whole.repair).toEqual({ state: 'whole', frames: log.acked.frames, damaged: [] })
      const repaired = damage((wal) => {
        wal[at]! ^= 4
        hurt(wal)
      }, log)
      expect(repaired.repair.state).toBe('repaired')
      expect(repaired.rows).toEqual(whole.rows)
      expect(repaired.rows!.length).toBeLessThan(log.rows.length)
      expect(repaired.integrity).toBe('ok')
    }
  })
})

describe('the file', () => {
  const file = join(folder.path, 'file.db-wal')

  test('is not touched where nothing is damaged', () => {
    writeFileSync(file, made.wal)
    const before = statSync(file)
    expect(repairWal(file, made.acked)).toEqual({ state: 'whole', frames: last, damaged: [] })
    const { mtimeMs, ino } = statSync(file)
    expect({ mtimeMs, ino }).toEqual({ mtimeMs: before.mtimeMs, ino: before.ino })
    expect(readFileSync(file).equals(made.wal)).toBe(true)
    expect(existsSync(`${file}.damaged`)).toBe(false)
  })

  test('is kept as it was beside the repaired one, and only its owner can read it', () => {
    const damaged = Buffer.from(made.wal)
    flipBit(damaged, offsetOfFrame(made, 5) + 24)
    writeFileSync(file, damaged)
    writeFileSync(join(folder.path, 'file.db-shm'), 'old')
    repairWal(file, made.acked)
    expect(readFileSync(`${file}.damaged`).equals(damaged)).toBe(true)
    expect(readFileSync(file).equals(made.wal)).toBe(true)
    for (const name of [file, `${file}.damaged`]) expect(statSync(name).mode & 0o777).toBe(0o600)
    expect(existsSync(join(folder.path, 'file.db-shm'))).toBe(false)
    expect(repairWal(file, made.acked).state).toBe('whole')
  })

  test('is missing, or of another log', () => {
    const missing = { state: 'missing', frames: 0, damaged: [] }
    rmSync(file, { force: true })
    expect(repairWal(file, made.acked)).toEqual(missing)
    writeFileSync(file, '')
    expect(repairWal(file, made.acked)).toEqual(missing)
    writeFileSync(file, made.wal)
    expect(repairWal(file, { ...made.acked, salt2: 1 })).toEqual(missing)
    expect(readFileSync(file).equals(made.wal)).toBe(true)
  })

  test('is shorter than it was: what is left of it is repaired', () => {
    const frames = last - 30
    const cut = { ...made, wal: made.wal.subarray(0, offsetOfFrame(made, frames + 1) + 100) }
    const whole = damage(() => undefined, cut)
    expect(whole.repair).toEqual({ state: 'missing', frames, damaged: [] })
    const repaired = damage((wal) => flipBit(wal, offsetOfFrame(made, 20) + 24), cut)
    expect(repaired.repair).toMatchObject({ state: 'missing', frames, damaged: [{ frame: 20 }] })
    expect(repaired.rows).toEqual(whole.rows)
    expect(repaired.integrity).toBe('ok')
  })

  test('of no acknowledged frame is whole', () => {
    writeFileSync(file, made.wal)
    truncateSync(file, 10)
    const acked = { ...made.acked, frames: 0 }
    expect(repairWal(file, acked)).toEqual({ state: 'whole', frames: 0, damaged: [] })
  })
})

function overwritePage(wal: Buffer, log: RealLog, frame: number): void {
  const at = offsetOfFrame(log, frame) + 24
  wal.fill(0xa5, at, at + log.pageBytes)
}

/** A frame with the last version of a page that has rows. */
function lastLeaf(log: RealLog): number {
  const pages = pagesOf(log)
  const isLeaf = (frame: number): boolean => log.wal[offsetOfFrame(log, frame) + 24] === 13
  const frames = pages.map((_, index) => index + 1).filter((frame) => isLeaf(frame))
  return frames.find(
    (frame) =>
      frame > 50 && pages.lastIndexOf(pages[frame - 1]!) === frame - 1 && pages[frame - 1]! > 20,
  )!
}

/** The frames with a page of which more than half is different than before. */
function muchChanged(log: RealLog): number[] {
  const before = new Map<number, Buffer>()
  const pageAt = (file: Buffer, at: number): Buffer => file.subarray(at, at + log.pageBytes)
  for (let at = 0; at < log.database.length; at += log.pageBytes)
    before.set(before.size + 1, pageAt(log.database, at))
  return pagesOf(log).flatMap((page, index) => {
    const data = pageAt(log.wal, offsetOfFrame(log, index + 1) + 24)
    const old = before.get(page)
    before.set(page, data)
    const different = old && data.filter((byte, at) => byte !== old[at]).length
    return different && different > log.pageBytes / 2 ? [index + 1] : []
  })
}

function readOneByOne(): Row[] {
  using db = new DatabaseSync(join(folder.path, 'damaged.db'))
  const find = db.prepare('SELECT id, key, content FROM events WHERE id = ?')
  return made.rows.flatMap(({ id }) => {
    try {
      return [{ ...find.get(id) } as unknown as Row]
    } catch {
      return []
    }
  })
}
