import { type RawBuilder, sql } from 'kysely'

/** Type OIDs from `pg_type`. */
const TYPES = { bool: 16, bytea: 17, bigint: 20, int: 23, text: 25 } as const

/** Array parameters in PostgreSQL's binary format: as text, an array costs more than anything else in a large statement. */
export const arrays = {
  texts: (values: readonly (string | null)[]) =>
    arrayOf(
      'text',
      values,
      (value) => Buffer.byteLength(value),
      (buffer, value, at) => buffer.write(value, at),
    ),
  bytes: (values: readonly Uint8Array[]) =>
    arrayOf(
      'bytea',
      values,
      ({ length }) => length,
      (buffer, value, at) => buffer.set(value, at),
    ),
  bigints: (values: readonly (number | null)[]) => arrayOf('bigint', values, () => 8, writeBigint),
  ints: (values: readonly number[]) =>
    arrayOf(
      'int',
      values,
      () => 4,
      (buffer, value, at) => buffer.writeInt32BE(value, at),
    ),
  booleans: (values: readonly boolean[]) =>
    arrayOf(
      'bool',
      values,
      () => 1,
      (buffer, value, at) => buffer.writeInt8(value ? 1 : 0, at),
    ),
}

const HEAD_BYTES = 20
const LENGTH_BYTES = 4

/** The format of `array_recv`: a header, then the length and bytes of each element. A null has the length -1. */
function arrayOf<T>(
  type: keyof typeof TYPES,
  values: readonly (T | null)[],
  sizeOf: (value: T) => number,
  write: (buffer: Buffer, value: T, at: number) => void,
): RawBuilder<unknown> {
  const sizes = values.map((value) => (value === null ? -1 : sizeOf(value)))
  const bytes = sizes.reduce((sum, size) => sum + Math.max(0, size), 0)
  const buffer = Buffer.allocUnsafe(HEAD_BYTES + LENGTH_BYTES * values.length + bytes)
  const dimensions = 1
  const firstIndex = 1
  const head = [dimensions, Number(values.includes(null)), TYPES[type], values.length, firstIndex]
  let at = 0
  for (const number of head) at = buffer.writeInt32BE(number, at)
  let index = 0
  for (const value of values) {
    const size = sizes[index++]!
    at = buffer.writeInt32BE(size, at)
    if (value === null) continue
    write(buffer, value, at)
    at += size
  }
  return sql`${buffer}::${sql.raw(type)}[]`
}

/** Numbers in this service do not exceed 2^53. */
function writeBigint(buffer: Buffer, value: number, at: number): void {
  const high = Math.floor(value / 2 ** 32)
  buffer.writeInt32BE(high, at)
  buffer.writeUInt32BE(value - high * 2 ** 32, at + 4)
}
