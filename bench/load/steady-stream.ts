import type { Event } from '@hookline/protocol'
import { serveRequests } from './serve-requests.ts'
import { event } from './delivery-request.ts'

/** The number of events appended together, as in a client's batch. */
const BATCH = 20

export interface SteadyStreamOptions {
  /** The maximum number of events that are appended but not yet delivered. */
  readonly outstanding: number
  /** Stores a batch as durably as this side supports. */
  readonly append: (events: readonly Event[]) => Promise<unknown>
}

/** Appends events as fast as they are delivered, so that no backlog builds up. */
export class SteadyStream {
  readonly #options: SteadyStreamOptions
  #appended = 0
  #done = 0
  #onDone = (): void => undefined

  constructor(options: SteadyStreamOptions) {
    this.#options = options
  }

  /** Reports that `count` more events are delivered and recorded. */
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

/** Runs the stream for the seconds requested by the benchmark, and responds with the rate. */
export function respondWith(stream: SteadyStream, close: () => Promise<unknown>): void {
  process.on('SIGTERM', async () => {
    await close()
    process.exit()
  })
  serveRequests({ rate: ({ seconds }) => stream.run(seconds) }, 'ready')
}
