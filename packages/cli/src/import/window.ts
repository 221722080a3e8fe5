import type { Rejection } from './parse-line.ts'
import type { Line } from './read-lines.ts'

/** A line whose outcome is known. */
export interface Settled {
  readonly line: Line
  /** `undefined` if the call was accepted. */
  readonly rejection: Rejection | undefined
}

interface Entry {
  readonly line: Line
  /** The number of its call in the order of queueing; `undefined` if the line has no call. */
  readonly call: number | undefined
  rejection: Rejection | undefined
}

const MAX_LINES = 4_000
const MAX_BYTES = 16 * 1024 * 1024

/** The lines that are read before the next flush, in their order. Their outcome is not known yet. */
export class Window {
  readonly #entries: Entry[] = []
  readonly #byMessageId = new Map<string, Entry>()
  #calls = 0
  #bytes = 0

  get isFull(): boolean {
    return this.#entries.length >= MAX_LINES || this.#bytes >= MAX_BYTES
  }

  /** Whether it has a call with this messageId. The service reports a refusal by that id alone. */
  hasCall(messageId: string): boolean {
    return this.#byMessageId.has(messageId)
  }

  /** Adds a line whose call was queued. */
  addCall(line: Line, messageId: string): void {
    const entry = { line, call: this.#calls++, rejection: undefined }
    this.#byMessageId.set(messageId, entry)
    this.#add(entry)
  }

  /** Adds a line without a call. */
  addRejected(line: Line, rejection: Rejection): void {
    this.#add({ line, call: undefined, rejection })
  }

  /** Records that the service refused a call. */
  reject(messageId: string | null, rejection: Rejection): void {
    const entry = this.#byMessageId.get(messageId ?? '')
    if (entry !== undefined) entry.rejection = rejection
  }

  /**
   * Empties the window, and returns its lines up to the first one whose outcome is not known.
   * @param calls how many calls have a known outcome; outcomes arrive in the order of queueing
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
