/** One thing in memory that is read again after a change, one read at a time. */
export class Follower {
  readonly #refresh: () => Promise<unknown>
  /** The number of the last change that is known of, and of the last one that is in memory. */
  #told: number | undefined
  #reached: number | undefined
  #failure: unknown
  #running: Promise<void> | undefined
  #isStopped = false

  constructor(refresh: () => Promise<unknown>) {
    this.#refresh = refresh
  }

  /** What the last refresh rejected with. */
  get failure(): unknown {
    return this.#failure
  }

  /** The change with this number was committed. */
  tell(number: number): void {
    this.#told = number
    if (this.#reached !== number) this.#running ??= this.#run()
  }

  /** Resolves when what was told is in memory. Rejects where the refresh does. */
  async caughtUp(): Promise<void> {
    await this.#running
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Resolves when no refresh runs, and none will. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#running
  }

  async #run(): Promise<void> {
    // Not whether the number is smaller: a database that was put back has smaller ones.
    while (this.#reached !== this.#told && !this.#isStopped) {
      const number = this.#told
      try {
        await this.#refresh()
        this.#reached = number
        this.#failure = undefined
      } catch (error) {
        // The next look tells the number again.
        this.#failure = error
        break
      }
    }
    this.#running = undefined
  }
}
