import { write } from 'node:fs'
import type { Clock } from '../util/time/clock.ts'

/** Most bytes of lines that wait to be written. */
const MAX_WAITING_BYTES = 2 ** 20
/** How soon a write is repeated that failed. */
const RETRY_MS = 100

export interface LogOutputOptions {
  /** A pipe must not block: a blocked write would keep a thread, and the process from exiting. */
  readonly fd: number
  readonly clock: Clock
  /** Called when the output works again: so many lines are missing here. */
  readonly onLinesLost: (lines: number) => void
}

/**
 * Writes the lines of the log to a file, a pipe or a terminal, and never makes the service wait for it. pino's own
 * destination does: it repeats a failed write until it succeeds, and nothing else runs meanwhile.
 *
 * One write is under way at a time. While it fails (full disk, faulty disk, closed pipe) or the reader of the pipe takes
 * nothing, it is repeated. Lines that come meanwhile wait, up to MAX_WAITING_BYTES. After that they are lost, and counted.
 */
export class LogOutput {
  readonly #options: LogOutputOptions
  #waiting: string[] = []
  /** What is left to write of the lines whose write is under way. */
  #writing = Buffer.alloc(0)
  #waitingBytes = 0
  #linesLost = 0
  #unreported = 0
  #onFlushed: (() => void)[] = []

  constructor(options: LogOutputOptions) {
    this.#options = options
  }

  /** How many lines were lost since the start. */
  get linesLost(): number {
    return this.#linesLost
  }

  /** Writes a line with its line end, now or later. */
  write(line: string): void {
    const bytes = Buffer.byteLength(line)
    // Once a line is lost, those after it are, too, until the report: it stands where they are missing.
    if (this.#unreported > 0 || this.#waitingBytes + bytes > MAX_WAITING_BYTES) {
      this.#linesLost++
      this.#unreported++
      return
    }
    this.#waiting.push(line)
    this.#waitingBytes += bytes
    if (this.#writing.length === 0) this.#writeNext()
  }

  /** Resolves when no line waits: never, while the output does not work. */
  flushed(): Promise<void> {
    if (this.#waitingBytes === 0) return Promise.resolve()
    return new Promise((resolve) => this.#onFlushed.push(resolve))
  }

  #writeNext(): void {
    if (this.#waiting.length === 0) {
      for (const resolve of this.#onFlushed.splice(0)) resolve()
      return
    }
    this.#writing = Buffer.from(this.#waiting.join(''))
    this.#waiting = []
    this.#write()
  }

  #write(): void {
    const { fd, clock } = this.#options
    write(fd, this.#writing, (error, written) => {
      if (error) return void clock.after(RETRY_MS, () => this.#write())
      this.#writing = this.#writing.subarray(written)
      this.#waitingBytes -= written
      if (this.#writing.length > 0) return this.#write()
      this.#reportLost()
      // The report may have begun the next write.
      if (this.#writing.length === 0) this.#writeNext()
    })
  }

  #reportLost(): void {
    const lines = this.#unreported
    this.#unreported = 0
    if (lines > 0) this.#options.onLinesLost(lines)
  }
}
