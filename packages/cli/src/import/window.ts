import type { Rejection } from './parse-line.ts'
import type { Line } from './read-lines.ts'

/** A line whose fate is known. */
export interface Settled {
  readonly line: Line
  /** Absent where it was delivered. */
  readonly rejection: Rejection | undefined
}

interface Entry {
  readonly line: Line
  /** Its place among the calls that were queued; absent where the line made none. */
  readonly call: number | undefined
  rejection: Rejection | undefined
}

const MAX_LINES = 4_000
const MAX_BYTES = 16 * 1024 * 1024

/** The lines whose fate is not known yet, in their order: as many as are read before the next flush. */
export class Window {
  readonly #entries: Entry[] = []
  readonly #byMessageId = new Map<string, Entry>()
  #calls = 0
  #bytes = 0

  get isFull(): boolean {
    return this.#entries.length >= MAX_LINES || this.#bytes >= MAX_BYTES
  }

  /** Whether a call with this id is in it. Which of two was refused could not be told. */
  hasCall(messageId: string): boolean {
    return this.#byMessageId.has(messageId)
  }

  /** A line whose call was queued. */
  addCall(line: Line, messageId: string): void {
    const entry = { line, call: this.#calls++, rejection: undefined }
    this.#byMessageId.set(messageId, entry)
    this.#add(entry)
  }

  /** A line that made no call. */
  addRejected(line: Line, rejection: Rejection): void {
    this.#add({ line, call: undefined, rejection })
  }

  /** The service has refused a call. */
  reject(messageId: string | null, rejection: Rejection): void {
    const entry = this.#byMessageId.get(messageId ?? '')
    if (entry !== undefined) entry.rejection = rejection
  }

  /**
   * Empties it, and gives the lines up to the first whose fate is not known. Calls meet their fate in
   * order, so that it is enough to know of how many it is.
   */
  takeSettled(calls: number): Settled[] {
    const firstOpen = this.#entries.findIndex(({ call = -1 }) => call >= calls)
    const settled = this.#entries.slice(0, firstOpen < 0 ? undefined : firstOpen)
    this.#entries.length = 0
    this.#byMessageId.clear()
    this.#calls = 0
    this.#bytes = 0
    return settled
  }

  #add(entry: Entry): void {
    this.#entries.push(entry)
    this.#bytes += entry.line.bytes.length
  }
}
