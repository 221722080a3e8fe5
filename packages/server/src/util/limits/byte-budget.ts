/** A number of bytes that several holders share. */
export class ByteBudget {
  readonly #mostBytes: number
  #takenBytes = 0

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  /** The bytes that are taken and not given back. */
  get takenBytes(): number {
    return this.#takenBytes
  }

  /** Takes `bytes` and returns true; or takes none and returns false, where fewer are left. */
  take(bytes: number): boolean {
    if (this.#takenBytes + bytes > this.#mostBytes) return false
    this.#takenBytes += bytes
    return true
  }

  /** Gives back bytes that were taken. */
  giveBack(bytes: number): void {
    this.#takenBytes -= bytes
  }
}
