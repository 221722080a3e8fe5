import { createReadStream } from 'node:fs'

/** A line of a file, without its end. */
export interface Line {
  /** Counted from 1. */
  readonly number: number
  readonly bytes: Buffer
  /** Where the next line begins, in bytes from the start of the file. */
  readonly end: number
  /** Whether the line is longer than any call can be, and `bytes` only its beginning. */
  readonly isCut: boolean
}

/** A place between two lines. */
export interface Place {
  /** Bytes from the start of the file. */
  readonly offset: number
  /** How many lines come before. */
  readonly line: number
}

/** 32 KB of call may be longer as text: spaces, and characters that are escaped. */
const LONGEST_BYTES = 1024 * 1024
const NEWLINE = 0x0a

/** The lines from a place on, up to the byte `end`. Holds one line and one piece of the file at a time. */
export async function* readLines(path: string, from: Place, end: number): AsyncGenerator<Line> {
  if (from.offset >= end) return
  const held = new HeldLine()
  let number = from.line
  let position = from.offset
  for await (const chunk of createReadStream(path, { start: from.offset, end: end - 1 })) {
    const data = chunk as Buffer
    let start = 0
    for (let at = data.indexOf(NEWLINE); at >= 0; at = data.indexOf(NEWLINE, start)) {
      held.add(data.subarray(start, at))
      position += at + 1 - start
      yield { number: ++number, ...held.take(), end: position }
      start = at + 1
    }
    held.add(data.subarray(start))
    position += data.length - start
  }
  if (!held.isEmpty) yield { number: ++number, ...held.take(), end: position }
}

/** The line that is being read, as far as it may grow. */
class HeldLine {
  #pieces: Buffer[] = []
  #bytes = 0

  get isEmpty(): boolean {
    return this.#bytes === 0
  }

  /** One byte over the bound is kept, to know by. */
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
