import type { Logger } from 'pino'
import type { Backend } from '../backend/backend.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Clock } from '../util/clock.ts'
import { LiveTail } from './live-tail.ts'
import { RecentAttempts } from './recent-attempts.ts'
import { refusedCalls } from './refused-calls.ts'
import { StatisticsRecorder } from './statistics-recorder.ts'
import type { Witness } from './witness.ts'
import { witnessedBackend } from './witnessed-backend.ts'
import { Witnesses } from './witnesses.ts'

export interface ObservationOptions {
  readonly backend: Backend
  readonly clock: Clock
  readonly metrics: Metrics
  readonly logger: Logger
}

/** Everyone who looks on: live tail, statistics, and how the last hour went. */
export class Observation implements AsyncDisposable {
  readonly live: LiveTail
  readonly recent: RecentAttempts
  /** To be told of what the backend is not. */
  readonly witness: Witness
  /** The backend, for everyone who uses it from now on. */
  readonly backend: Backend
  readonly #recorder: StatisticsRecorder

  constructor({ backend, clock, metrics, logger }: ObservationOptions) {
    const { statistics, catalog, upkeep } = backend
    const refused = (): Promise<ReadonlyMap<string, number>> => refusedCalls(metrics)
    this.live = new LiveTail(clock)
    this.recent = new RecentAttempts(clock)
    this.#recorder = new StatisticsRecorder({ statistics, catalog, upkeep, clock, logger, refused })
    this.witness = new Witnesses([this.live, this.recent, this.#recorder])
    this.backend = witnessedBackend(backend, this.witness)
    this.#recorder.start()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#recorder[Symbol.asyncDispose]()
  }
}
