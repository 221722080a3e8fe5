const encoder = new TextEncoder()

/**
 * Many messages in one piece of memory, as UTF-8, first in first out. As strings they would take an
 * object each, and twice the memory where a single character is beyond Latin-1.
 */
export class Page {
  readonly #bytes: Uint8Array<ArrayBuffer>
  /** Where each message ends. */
  readonly #ends: number[] = []
  #taken = 0
  #start = 0
  #end = 0

  constructor(capacityBytes: number) {
    this.#bytes = new Uint8Array(capacityBytes)
  }

  /** Appends a message of this size; false where it does not fit. */
  push(text: string, bytes: number): boolean {
    if (this.#end + bytes > this.#bytes.length) return false
    encoder.encodeInto(text, this.#bytes.subarray(this.#end))
    this.#end += bytes
    this.#ends.push(this.#end)
    return true
  }

  get isEmpty(): boolean {
    return this.#taken === this.#ends.length
  }

  /** The size of the first message. */
  get firstBytes(): number {
    return (this.#ends[this.#taken] ?? this.#start) - this.#start
  }

  /** Takes the first message out. What it returns is valid until the next `push` or `clear`. */
  shift(): Uint8Array<ArrayBuffer> {
    const end = this.#start + this.firstBytes
    const message = this.#bytes.subarray(this.#start, end)
    this.#taken++
    this.#start = end
    return message
  }

  /** Makes the page as new. */
  clear(): void {
    this.#ends.length = 0
    this.#taken = 0
    this.#start = 0
    this.#end = 0
  }
}
