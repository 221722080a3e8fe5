const encoder = new TextEncoder()

/**
 * A FIFO buffer of messages as UTF-8, in one byte array. Strings would need an object per message, and twice the memory
 * for a message with a character beyond Latin-1.
 */
export class MessageBuffer {
  readonly #bytes: Uint8Array<ArrayBuffer>
  /** The offset at which each message ends. */
  readonly #ends: number[] = []
  #removed = 0
  #start = 0
  #end = 0

  constructor(capacityBytes: number) {
    this.#bytes = new Uint8Array(capacityBytes)
  }

  /** Appends a message of `bytes` bytes. Returns false if it does not fit. */
  push(text: string, bytes: number): boolean {
    if (this.#end + bytes > this.#bytes.length) return false
    encoder.encodeInto(text, this.#bytes.subarray(this.#end))
    this.#end += bytes
    this.#ends.push(this.#end)
    return true
  }

  get isEmpty(): boolean {
    return this.#removed === this.#ends.length
  }

  get firstBytes(): number {
    return (this.#ends[this.#removed] ?? this.#start) - this.#start
  }

  /** Removes the first message and returns it. The result is valid until the next `push` or `clear`. */
  shift(): Uint8Array<ArrayBuffer> {
    const end = this.#start + this.firstBytes
    const message = this.#bytes.subarray(this.#start, end)
    this.#removed++
    this.#start = end
    return message
  }

  clear(): void {
    this.#ends.length = 0
    this.#removed = 0
    this.#start = 0
    this.#end = 0
  }
}
