import { type RawBuilder, sql } from 'kysely'

/**
 * Arrays as parameters in the binary format of PostgreSQL. The client writes an array as text, with quotes and escapes,
 * which costs it and the server more than anything else in a statement with many rows.
 */
export const arrays = {
  texts: (values: readonly (string | null)[]): RawBuilder<unknown> =>
    sql`${ofTexts(values)}::text[]`,
  bytes: (values: readonly Uint8Array[]): RawBuilder<unknown> => sql`${ofBytes(values)}::bytea[]`,
  bigints: (values: readonly (number | null)[]): RawBuilder<unknown> =>
    sql`${ofSize({ type: BIGINT, size: 8 }, values, writeBigint)}::bigint[]`,
  ints: (values: readonly number[]): RawBuilder<unknown> =>
    sql`${ofSize({ type: INT, size: 4 }, values, (buffer, value, at) => buffer.writeInt32BE(value, at))}::int[]`,
  booleans: (values: readonly boolean[]): RawBuilder<unknown> =>
    sql`${ofSize({ type: BOOLEAN, size: 1 }, values, (buffer, value, at) => buffer.writeInt8(value ? 1 : 0, at))}::bool[]`,
}

/** Numbers of types in `pg_type`. */
const BOOLEAN = 16
const BYTEA = 17
const BIGINT = 20
const INT = 23
const TEXT = 25

/** One dimension, whether there are nulls, the type, the length, and the number of the first element. */
const HEAD_BYTES = 20
const LENGTH_BYTES = 4
const NULL_LENGTH = -1
const FIRST = 1

/** `array_recv` of PostgreSQL reads this: a head, then the length of each element and its bytes. */
function headOf(
  type: number,
  {
    length,
    hasNulls,
    bytes,
  }: { readonly length: number; readonly hasNulls: boolean; readonly bytes: number },
): Buffer {
  const buffer = Buffer.allocUnsafe(HEAD_BYTES + LENGTH_BYTES * length + bytes)
  buffer.writeInt32BE(1, 0)
  buffer.writeInt32BE(hasNulls ? 1 : 0, 4)
  buffer.writeInt32BE(type, 8)
  buffer.writeInt32BE(length, 12)
  buffer.writeInt32BE(FIRST, 16)
  return buffer
}

function ofTexts(values: readonly (string | null)[]): Buffer {
  let bytes = 0
  for (const value of values) if (value !== null) bytes += Buffer.byteLength(value)
  const buffer = headOf(TEXT, { length: values.length, hasNulls: values.includes(null), bytes })
  let at = HEAD_BYTES
  for (const value of values) {
    const written = value === null ? NULL_LENGTH : buffer.write(value, at + LENGTH_BYTES)
    buffer.writeInt32BE(written, at)
    at += LENGTH_BYTES + Math.max(0, written)
  }
  return buffer
}

function ofBytes(values: readonly Uint8Array[]): Buffer {
  const bytes = values.reduce((sum, value) => sum + value.length, 0)
  const buffer = headOf(BYTEA, { length: values.length, hasNulls: false, bytes })
  let at = HEAD_BYTES
  for (const value of values) {
    at = buffer.writeInt32BE(value.length, at)
    buffer.set(value, at)
    at += value.length
  }
  return buffer
}

/** Elements of one size. */
function ofSize<T>(
  { type, size }: { readonly type: number; readonly size: number },
  values: readonly (T | null)[],
  write: (buffer: Buffer, value: T, at: number) => void,
): Buffer {
  const nulls = values.reduce((sum, value) => sum + (value === null ? 1 : 0), 0)
  const bytes = size * (values.length - nulls)
  const buffer = headOf(type, { length: values.length, hasNulls: nulls > 0, bytes })
  let at = HEAD_BYTES
  for (const value of values) {
    at = buffer.writeInt32BE(value === null ? NULL_LENGTH : size, at)
    if (value === null) continue
    write(buffer, value, at)
    at += size
  }
  return buffer
}

/** Numbers of this service are exact: at most 2^53. */
function writeBigint(buffer: Buffer, value: number, at: number): void {
  const high = Math.floor(value / 2 ** 32)
  buffer.writeInt32BE(high, at)
  buffer.writeUInt32BE(value - high * 2 ** 32, at + 4)
}
