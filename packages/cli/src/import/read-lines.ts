import { createReadStream } from 'node:fs'

/** A line in a file, without its newline. */
export interface Line {
  /** The line number, from 1. */
  readonly number: number
  readonly bytes: Buffer
  /** The byte offset of the next line. */
  readonly end: number
  /** Whether the line is too long: `bytes` is then only its start. */
  readonly isCut: boolean
}

export interface Position {
  readonly offset: number
  /** The number of lines before it. */
  readonly line: number
}

/** The maximum length of a line. Far above the 32 KiB limit of a call, because a line may contain spaces and escapes. */
const MAX_BYTES = 1024 * 1024
const NEWLINE = 0x0a

/** Reads the lines up to the byte `end`. Buffers one line and one chunk. */
export async function* readLines(path: string, from: Position, end: number): AsyncGenerator<Line> {
  if (from.offset >= end) return
  const line = new LineBuffer()
  let number = from.line
  let position = from.offset
  for await (const chunk of createReadStream(path, { start: from.offset, end: end - 1 })) {
    const data = chunk as Buffer
    let start = 0
    for (let at = data.indexOf(NEWLINE); at >= 0; at = data.indexOf(NEWLINE, start)) {
      line.add(data.subarray(start, at))
      position += at + 1 - start
      yield { number: ++number, ...line.take(), end: position }
      start = at + 1
    }
    line.add(data.subarray(start))
    position += data.length - start
  }
  if (!line.isEmpty) yield { number: ++number, ...line.take(), end: position }
}

class LineBuffer {
  #pieces: Buffer[] = []
  #bytes = 0

  get isEmpty(): boolean {
    return this.#bytes === 0
  }

  /** Keeps one byte more than the maximum, to detect lines that are too long. */
  add(piece: Buffer): void {
    const kept = piece.subarray(0, MAX_BYTES + 1 - this.#bytes)
    this.#pieces.push(kept)
    this.#bytes += kept.length
  }

  take(): Pick<Line, 'bytes' | 'isCut'> {
    const bytes = Buffer.concat(this.#pieces).subarray(0, MAX_BYTES)
    const isCut = this.#bytes > MAX_BYTES
    this.#pieces = []
    this.#bytes = 0
    return { bytes, isCut }
  }
}
