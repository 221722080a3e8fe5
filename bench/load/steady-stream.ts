import type { Event } from '@hookline/protocol'
import { event } from './delivery-request.ts'

/** Events that are appended at once, as a client's batch brings them. */
const BATCH = 20

export interface SteadyStreamOptions {
  /** Events that are on their way at most: appended, and not done. */
  readonly outstanding: number
  /** Keeps a batch, durably as far as the side can. */
  readonly append: (events: readonly Event[]) => Promise<unknown>
}

/** Events that come as fast as they are delivered and no faster, so that nothing piles up. */
export class SteadyStream {
  readonly #options: SteadyStreamOptions
  #appended = 0
  #done = 0
  #onDone = (): void => undefined

  constructor(options: SteadyStreamOptions) {
    this.#options = options
  }

  /** So many events more are delivered, and recorded as that. */
  done(count: number): void {
    this.#done += count
    this.#onDone()
  }

  /** Resolves with the events per second, from the first append to the end of the last delivery. */
  async run(seconds: number): Promise<number> {
    const { outstanding, append } = this.#options
    const started = performance.now()
    const before = this.#done
    while (performance.now() < started + seconds * 1000) {
      await this.#fewerThan(outstanding - BATCH)
      this.#appended += BATCH
      append(Array.from({ length: BATCH }, event)).catch((error: unknown) => {
        throw error
      })
    }
    await this.#fewerThan(1)
    return (this.#done - before) / ((performance.now() - started) / 1000)
  }

  async #fewerThan(limit: number): Promise<void> {
    while (this.#appended - this.#done >= limit) {
      await new Promise<void>((resolve) => (this.#onDone = resolve))
    }
  }
}

/** Answers the benchmark, which asks for some seconds of the stream. */
export function answerWith(stream: SteadyStream, close: () => Promise<unknown>): void {
  process.on('message', async ({ seconds }: { seconds: number }) => {
    process.send!(await stream.run(seconds))
  })
  process.on('SIGTERM', async () => {
    await close()
    process.exit()
  })
  process.send!('ready')
}
