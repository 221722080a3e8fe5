import type { IngestCodeName, Source } from '@hookline/protocol'
import type { FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { BackendUnavailable } from '../backend/backend.ts'
import type { Catalog, KeyUses } from '../backend/catalog.ts'
import type { Log } from '../backend/log.ts'
import type { Suppressions } from '../backend/deletions.ts'
import type { Config } from '../config.ts'
import type { ActivityListener } from '../telemetry/activity-listener.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { ByteBudget } from '../util/byte-budget.ts'
import type { Clock } from '../util/clock.ts'
import { LogThrottle } from '../util/log-throttle.ts'
import { RateLimit } from '../util/rate-limit.ts'
import { type ParsedBody, parseBody } from './body/parse-body.ts'
import { type EventsFromCalls, eventsFromCalls, isSuppressed } from './calls/events-from-calls.ts'
import { type Batch, batchOfOne, parseBatch } from './calls/parse-batch.ts'
import { mayBeTooLarge } from './calls/parse-call.ts'
import { receiptOf } from './calls/receipt.ts'
import type { Endpoint } from './endpoints.ts'
import { isRefused, type Refused } from './refused.ts'
import {
  batchErrorResponse,
  errorResponse,
  type IngestResponse,
  partialSuccess,
  SUCCESS,
} from './responses.ts'
import { KeyUseRecorder } from './write-keys/key-use-recorder.ts'
import { RejectedKeyLogger } from './write-keys/rejected-key-logger.ts'
import { authenticate, keyFromBody, keyFromHeaders, keyFromQuery } from './write-keys/write-key.ts'

/** What ingestion needs. */
export interface IngestDeps {
  readonly log: Log
  readonly catalog: Catalog
  readonly suppressions: Suppressions
  readonly keyUses: KeyUses
  readonly activity: Pick<ActivityListener, 'received' | 'refused'>
  readonly clock: Clock
  readonly config: Config
  readonly metrics: Metrics
  readonly logger: Logger
}

/** A request of a known source, with its parsed body. */
interface ParsedRequest {
  readonly request: FastifyRequest
  readonly endpoint: Endpoint
  readonly source: Source
  readonly body: ParsedBody
  readonly batch: Batch
  readonly isStrict: boolean
}

/** How soon a client may try again when the log, or the memory for bodies, cannot take its calls. */
const OVERLOADED_RETRY_SECONDS = 5
const LOG_EVERY_MS = 10_000

/** Handles a request with calls: authenticates, parses, limits the rate, makes events, and appends them to the log. */
export class IngestionHandler {
  readonly #deps: IngestDeps
  readonly #rateLimit: RateLimit
  readonly #rejectedKeys: RejectedKeyLogger
  readonly #keyUses: KeyUseRecorder
  readonly #overloads: LogThrottle
  readonly #partialBodies: ByteBudget

  constructor(deps: IngestDeps) {
    this.#deps = deps
    this.#rateLimit = new RateLimit(deps.clock)
    this.#rejectedKeys = new RejectedKeyLogger(deps.clock, deps.logger)
    this.#keyUses = new KeyUseRecorder(deps.keyUses, deps.clock, deps.logger)
    this.#overloads = new LogThrottle(deps.clock, LOG_EVERY_MS)
    const partialBodies = new ByteBudget(deps.config.maxPartialBodyBytes)
    this.#partialBodies = partialBodies
    deps.metrics.beforeScrape(() => deps.metrics.partialBodies.set(partialBodies.takenBytes))
  }

  /** Resolves to the response. A 200 means that the calls are durable in the log, except those of suppressed users. */
  async handle(request: FastifyRequest, endpoint: Endpoint): Promise<IngestResponse> {
    const earlyKey = keyFromHeaders(request.headers) ?? keyFromQuery(request.query)
    // Before the body is read, so that a request with an invalid key costs little.
    const early = earlyKey === undefined ? undefined : this.#authenticate(earlyKey)
    if (early && isRefused(early)) return this.#refuse(early.refused)
    const body = await this.#read(request)
    if (isRefused(body)) return this.#refuseBody(body.refused)
    const source = early ?? this.#authenticate(keyFromBody(body.json))
    if (isRefused(source)) return this.#refuse(source.refused)
    const batch = endpoint.type ? batchOfOne(body.json) : parseBatch(body.json, this.#deps.config)
    if (isRefused(batch)) return this.#refuse(batch.refused)
    const waitSeconds = this.#rateLimit.take(source, batch.calls.length)
    if (waitSeconds > 0) return this.#refuse('rate_limited', batch.calls.length, waitSeconds)
    const isStrict = request.headers['x-strict-mode'] === '1'
    const result = this.#eventsFrom({ request, endpoint, source, body, batch, isStrict })
    return this.#store(result, { isBatch: endpoint.type === undefined, isStrict })
  }

  #read({ raw }: FastifyRequest): Promise<ParsedBody | Refused> {
    const maxBytes = this.#deps.config.maxBatchBytes
    return parseBody(raw, { maxBytes, partialBodies: this.#partialBodies })
  }

  #authenticate(writeKey: string | undefined): Source | Refused {
    const source = authenticate(this.#deps.catalog.current, writeKey)
    if (isRefused(source)) this.#rejectedKeys.add(writeKey, source.refused)
    else this.#keyUses.record(writeKey!)
    return source
  }

  #eventsFrom(parsed: ParsedRequest): EventsFromCalls {
    const { request, endpoint, source, body, batch, isStrict } = parsed
    const { config, clock } = this.#deps
    const { clockSkewToleranceMs, maxMessageBytes } = config
    const mustMeasure = mayBeTooLarge(body.bytes, batch.shared, maxMessageBytes)
    const result = eventsFromCalls({
      calls: batch.calls,
      sourceId: source.id,
      rules: {
        type: endpoint.type,
        shared: batch.shared,
        maxLevels: config.maxNestingLevels,
        maxBytes: mustMeasure ? maxMessageBytes : undefined,
      },
      receipt: receiptOf(request, batch.sentAt, { now: clock.now(), clockSkewToleranceMs }),
      text: body.text,
      isStrict,
    })
    for (const { code } of result.rejected) this.#countRefused(code, 1)
    return result
  }

  async #store(
    { events, rejected }: EventsFromCalls,
    { isBatch, isStrict }: { readonly isBatch: boolean; readonly isStrict: boolean },
  ): Promise<IngestResponse> {
    const [first, ...others] = rejected
    if (first !== undefined && (isStrict || events.length === 0)) {
      return isBatch ? batchErrorResponse([first, ...others]) : errorResponse(first.code)
    }
    const { log, metrics, suppressions, activity } = this.#deps
    // Directly before the append, so that the purge that follows a suppression finds all earlier events.
    const kept = events.filter((event) => !isSuppressed(event, suppressions))
    const stopTimer = metrics.logCommit.startTimer()
    try {
      await log.append(kept)
    } catch (error) {
      if (!(error instanceof BackendUnavailable)) throw error
      return this.#overloaded(error, events.length)
    }
    stopTimer()
    metrics.ingestEvents.inc({ result: 'accepted' }, kept.length)
    activity.received(kept)
    this.#countRefused('suppressed', events.length - kept.length)
    return first === undefined ? SUCCESS : partialSuccess(rejected)
  }

  #overloaded(error: BackendUnavailable, calls: number): IngestResponse {
    const requests = this.#overloads.count('append')
    if (requests > 0) this.#deps.logger.error({ err: error, requests }, 'log.overloaded')
    return this.#refuse('overloaded', calls, OVERLOADED_RETRY_SECONDS)
  }

  #refuseBody(code: IngestCodeName): IngestResponse {
    if (code !== 'overloaded') return this.#refuse(code)
    const requests = this.#overloads.count('body')
    const partialBodyBytes = this.#partialBodies.takenBytes
    if (requests > 0) this.#deps.logger.error({ partialBodyBytes, requests }, 'bodies.overloaded')
    return this.#refuse(code, 1, OVERLOADED_RETRY_SECONDS)
  }

  #refuse(code: IngestCodeName, calls = 1, retryAfterSeconds?: number): IngestResponse {
    this.#countRefused(code, calls)
    return errorResponse(code, retryAfterSeconds)
  }

  #countRefused(result: 'suppressed' | IngestCodeName, calls: number): void {
    this.#deps.metrics.ingestEvents.inc({ result }, calls)
    this.#deps.activity.refused(result, calls)
  }
}
