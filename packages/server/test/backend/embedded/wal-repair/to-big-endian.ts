const HEADER_BYTES = 32

/** The log as a processor with the other order of bytes would have written it: all checksums are different. */
export function toBigEndian(littleEndian: Buffer, pageBytes: number): Buffer {
  const wal = Buffer.from(littleEndian)
  wal.writeUInt32BE(0x377f0683, 0)
  let [first, second] = [0, 0]
  const add = (from: number, to: number): void => {
    for (let at = from; at < to; at += 8) {
      first = (first + wal.readInt32BE(at) + second) | 0
      second = (second + wal.readInt32BE(at + 4) + first) | 0
    }
  }
  const store = (at: number): void => {
    wal.writeInt32BE(first, at)
    wal.writeInt32BE(second, at + 4)
  }
  add(0, 24)
  store(24)
  for (let at = HEADER_BYTES; at + 24 + pageBytes <= wal.length; at += 24 + pageBytes) {
    add(at, at + 8)
    add(at + 24, at + 24 + pageBytes)
    store(at + 16)
  }
  return wal
}
