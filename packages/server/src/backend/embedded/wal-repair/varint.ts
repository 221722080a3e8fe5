/** The number at `at` in SQLite's variable length, and where the next byte is. Zeros follow the last byte. */
export function readVarint(bytes: Buffer, at: number): [number, number] {
  let value = 0n
  for (let index = 0; index < 8; index++) {
    const byte = bytes[at + index] ?? 0
    value = (value << 7n) | BigInt(byte & 0x7f)
    if (byte < 0x80) return [Number(value), at + index + 1]
  }
  value = (value << 8n) | BigInt(bytes[at + 8] ?? 0)
  return [Number(BigInt.asIntN(64, value)), at + 9]
}
