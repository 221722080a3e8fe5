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
import type { Clock } from '../util/clock.ts'
import { RateLimit } from '../util/rate-limit.ts'
import { type Acceptance, acceptCalls } from './calls/accept-calls.ts'
import { type Answer, batchRefusal, partialSuccess, refusal, SUCCESS } from './answer.ts'
import { authenticate } from './write-keys/authenticate.ts'
import { clientAddress } from './client-address.ts'
import type { Endpoint } from './endpoints.ts'
import { KeyUse } from './write-keys/key-use.ts'
import { type Batch, batchOfOne, parseBatch } from './calls/parse-batch.ts'
import { type ParsedBody, parseBody } from './body/parse-body.ts'
import { isRefused, type Refused } from './calls/refused.ts'
import { RejectedKeys } from './write-keys/rejected-keys.ts'
import { instantAt, readInstant } from './calls/stamp.ts'
import { isSuppressed } from './calls/suppressed.ts'
import { Tally } from './write-keys/tally.ts'
import { keyFromBody, keyFromHeaders, keyFromQuery } from './write-keys/write-key.ts'

/** What ingestion works with. */
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

/** How soon a client may try again when the log cannot take its calls. */
const OVERLOADED_RETRY_SECONDS = 5
const TELL_OVERLOAD_EVERY_MS = 10_000

/** Takes one request after the other: who sends, what it says, whether it may, and into the log. */
export class Intake {
  readonly #deps: IngestDeps
  readonly #rateLimit: RateLimit
  readonly #rejectedKeys: RejectedKeys
  readonly #keyUse: KeyUse
  readonly #overloads: Tally

  constructor(deps: IngestDeps) {
    this.#deps = deps
    this.#rateLimit = new RateLimit(deps.clock)
    this.#rejectedKeys = new RejectedKeys(deps.clock, deps.logger)
    this.#keyUse = new KeyUse(deps.keyUses, deps.clock, deps.logger)
    this.#overloads = new Tally(deps.clock, TELL_OVERLOAD_EVERY_MS)
  }

  /** The answer to a request that carries calls. A 200 means that they are stored durably, but for those of suppressed users. */
  async take(request: FastifyRequest, endpoint: Endpoint): Promise<Answer> {
    const headerKey = keyFromHeaders(request.headers)
    if (headerKey !== undefined) {
      // Before the body is read: who may not send shall not cost much.
      const source = this.#authenticate(headerKey)
      if (isRefused(source)) return this.#refuse(source.refused)
    }
    const body = await parseBody(request.raw, this.#deps.config.maxBatchBytes)
    if (isRefused(body)) return this.#refuse(body.refused)
    const source = this.#authenticate(
      headerKey ?? keyFromBody(body.json) ?? keyFromQuery(request.query),
    )
    if (isRefused(source)) return this.#refuse(source.refused)
    const batch = endpoint.type ? batchOfOne(body.json) : parseBatch(body.json, this.#deps.config)
    if (isRefused(batch)) return this.#refuse(batch.refused)
    const waitSeconds = this.#rateLimit.take(source, batch.calls.length)
    if (waitSeconds > 0) return this.#refuse('rate_limited', batch.calls.length, waitSeconds)
    const isStrict = request.headers['x-strict-mode'] === '1'
    const acceptance = this.#accept({ request, endpoint, source, body, batch, isStrict })
    return this.#store(acceptance, { isBatch: endpoint.type === undefined, isStrict })
  }

  #authenticate(writeKey: string | undefined): Source | Refused {
    const source = authenticate(this.#deps.catalog.current, writeKey)
    if (isRefused(source)) this.#rejectedKeys.add(writeKey, source.refused)
    else this.#keyUse.note(writeKey!)
    return source
  }

  #accept(given: {
    readonly request: FastifyRequest
    readonly endpoint: Endpoint
    readonly source: Source
    readonly body: ParsedBody
    readonly batch: Batch
    readonly isStrict: boolean
  }): Acceptance {
    const { request, endpoint, source, body, batch, isStrict } = given
    const { config, clock } = this.#deps
    const acceptance = acceptCalls({
      calls: batch.calls,
      sourceId: source.id,
      rules: {
        type: endpoint.type,
        shared: batch.shared,
        maxLevels: config.maxNestingLevels,
        maxBytes: body.bytes > config.maxMessageBytes ? config.maxMessageBytes : undefined,
      },
      receipt: {
        receivedAt: instantAt(clock.now()),
        sentAt: readInstant(batch.sentAt),
        ip: clientAddress(request),
        isFromBrowser: request.headers.origin !== undefined,
        clockSkewToleranceMs: config.clockSkewToleranceMs,
      },
      text: body.text,
      isStrict,
    })
    for (const { code } of acceptance.rejected) this.#countRefused(code, 1)
    return acceptance
  }

  async #store(
    { events, rejected }: Acceptance,
    { isBatch, isStrict }: { readonly isBatch: boolean; readonly isStrict: boolean },
  ): Promise<Answer> {
    const [first, ...others] = rejected
    if (first !== undefined && (isStrict || events.length === 0)) {
      return isBatch ? batchRefusal([first, ...others]) : refusal(first.code)
    }
    const { log, metrics, suppressions, activity } = this.#deps
    // At once before it is appended: a purge that follows the suppression finds whatever came before.
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

  #overloaded(error: BackendUnavailable, calls: number): Answer {
    const requests = this.#overloads.add('append')
    if (requests > 0) this.#deps.logger.error({ err: error, requests }, 'log cannot take calls')
    return this.#refuse('overloaded', calls, OVERLOADED_RETRY_SECONDS)
  }

  #refuse(code: IngestCodeName, calls = 1, retryAfterSeconds?: number): Answer {
    this.#countRefused(code, calls)
    return refusal(code, retryAfterSeconds)
  }

  #countRefused(result: 'suppressed' | IngestCodeName, calls: number): void {
    this.#deps.metrics.ingestEvents.inc({ result }, calls)
    this.#deps.activity.refused(result, calls)
  }
}
