import { createReadStream } from 'node:fs'

/** A line of a file, without its newline. */
export interface Line {
  /** Counted from 1. */
  readonly number: number
  readonly bytes: Buffer
  /** The offset of the next line, in bytes from the start of the file. */
  readonly end: number
  /** Whether the line is longer than any call, and `bytes` holds only its beginning. */
  readonly isCut: boolean
}

/** A position between two lines. */
export interface Place {
  /** Bytes from the start of the file. */
  readonly offset: number
  /** The number of lines before it. */
  readonly line: number
}

/** Longer than the 32 KB of a call: its text may contain spaces and escaped characters. */
const LONGEST_BYTES = 1024 * 1024
const NEWLINE = 0x0a

/** The lines from a place to the byte `end`. Needs memory for one line and one chunk of the file. */
export async function* readLines(path: string, from: Place, end: number): AsyncGenerator<Line> {
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

/** Collects the line that is being read, up to the bound. */
class LineBuffer {
  #pieces: Buffer[] = []
  #bytes = 0

  get isEmpty(): boolean {
    return this.#bytes === 0
  }

  /** Keeps one byte more than the bound, to notice a line that is too long. */
  add(piece: Buffer): void {
    const kept = piece.subarray(0, LONGEST_BYTES + 1 - this.#bytes)
    this.#pieces.push(kept)
    this.#bytes += kept.length
  }

  take(): Pick<Line, 'bytes' | 'isCut'> {
    const bytes = Buffer.concat(this.#pieces).subarray(0, LONGEST_BYTES)
    const isCut = this.#bytes > LONGEST_BYTES
    this.#pieces = []
    this.#bytes = 0
    return { bytes, isCut }
  }
}
