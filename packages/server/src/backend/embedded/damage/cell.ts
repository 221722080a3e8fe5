import type { SQLInputValue } from 'node:sqlite'
import { bytesInPage, bytesOfType } from '../file-format/b-tree-format.ts'
import type { Pages } from './pages.ts'

/** A row as it is stored: the fields in the order of the record. */
export interface StoredRow {
  /** `undefined` in a table WITHOUT ROWID. */
  readonly rowid: number | bigint | undefined
  readonly fields: readonly SQLInputValue[]
}

/** One cell. Each method throws a RangeError where the bytes make no sense. */
export class Cell {
  readonly #pages: Pages
  readonly #page: Buffer
  #at: number

  constructor(pages: Pages, page: Buffer, at: number) {
    this.#pages = pages
    this.#page = page
    this.#at = at
  }

  child(): number {
    const child = this.#page.readUInt32BE(this.#at)
    this.#at += 4
    return child
  }

  rowid(): number | bigint {
    return asNumber(BigInt.asIntN(64, BigInt(this.#varint())))
  }

  rowOfTable(overflow: number[]): StoredRow {
    const bytes = Number(this.#varint())
    const rowid = this.rowid()
    return { rowid, fields: this.#fields(bytes, overflow, true) }
  }

  rowOfIndex(overflow: number[]): StoredRow {
    const bytes = Number(this.#varint())
    return { rowid: undefined, fields: this.#fields(bytes, overflow, false) }
  }

  #fields(bytes: number, overflow: number[], isTable: boolean): readonly SQLInputValue[] {
    const inPage = bytesInPage(bytes, this.#pages.pageBytes, isTable)
    if (this.#at + inPage > this.#page.length)
      throw new RangeError('The cell is longer than its page.')
    const local = this.#page.subarray(this.#at, this.#at + inPage)
    const payload = inPage === bytes ? local : this.#withOverflow(local, bytes, overflow)
    return fieldsOf(payload)
  }

  #withOverflow(local: Buffer, bytes: number, overflow: number[]): Buffer {
    const usable = this.#pages.pageBytes
    if (bytes > this.#pages.count * usable) throw new RangeError('The row is longer than the file.')
    const parts = [local]
    let missing = bytes - local.length
    let next = this.#page.readUInt32BE(this.#at + local.length)
    while (missing > 0) {
      const page = this.#pages.read(next)
      if (page === undefined) throw new RangeError('The end of the row is missing.')
      overflow.push(next)
      const part = page.subarray(4, 4 + Math.min(missing, usable - 4))
      parts.push(part)
      missing -= part.length
      next = page.readUInt32BE(0)
    }
    return Buffer.concat(parts)
  }

  #varint(): number | bigint {
    const [value, end] = varintAt(this.#page, this.#at)
    this.#at = end
    return value
  }
}

type Varint = readonly [value: number | bigint, end: number]

function varintAt(bytes: Buffer, at: number): Varint {
  let value = 0
  for (let index = 0; index < 7; index++) {
    const byte = bytes.readUInt8(at + index)
    value = value * 128 + (byte & 0x7f)
    if (byte < 0x80) return [value, at + index + 1]
  }
  return longVarint(bytes, at + 7, BigInt(value))
}

/** The last two of up to nine bytes: the numbers are too large for a number. */
function longVarint(bytes: Buffer, at: number, start: bigint): Varint {
  const eighth = bytes.readUInt8(at)
  const value = (start << 7n) | BigInt(eighth & 0x7f)
  if (eighth < 0x80) return [value, at + 1]
  return [(value << 8n) | BigInt(bytes.readUInt8(at + 1)), at + 2]
}

/** The fields of a record (sqlite.org/fileformat2.html §2.1). */
function fieldsOf(record: Buffer): SQLInputValue[] {
  const [headerBytes, start] = varintAt(record, 0)
  let at = Number(headerBytes)
  if (at > record.length) throw new RangeError('The header is longer than the row.')
  const fields: SQLInputValue[] = []
  for (let header = start; header < Number(headerBytes);) {
    const [type, end] = varintAt(record, header)
    header = end
    const bytes = bytesOfType(Number(type))
    if (bytes === undefined) throw new RangeError('There is no such type.')
    if (at + bytes > record.length) throw new RangeError('A field is longer than the row.')
    fields.push(valueOf(Number(type), record.subarray(at, at + bytes)))
    at += bytes
  }
  if (at !== record.length) throw new RangeError('The fields are not as long as the row.')
  return fields
}

function valueOf(type: number, bytes: Buffer): SQLInputValue {
  if (type === 0) return null
  if (type === 7) return bytes.readDoubleBE(0)
  if (type === 8 || type === 9) return type - 8
  if (type === 6) return asNumber(bytes.readBigInt64BE(0))
  if (type < 6) return bytes.readIntBE(0, bytes.length)
  // A copy: the page is read again and again.
  return type % 2 === 0 ? Buffer.from(bytes) : bytes.toString()
}

function asNumber(value: bigint): number | bigint {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value
}
