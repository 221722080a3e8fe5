import type { IngestCodeName, Source } from '@hookline/protocol'
import type { FastifyRequest } from 'fastify'
import type { Logger } from '../telemetry/logger.ts'
import { BackendUnavailableError } from '../backend/backend.ts'
import type { Catalog, KeyUses } from '../backend/catalog.ts'
import type { Log } from '../backend/log.ts'
import type { Suppressions } from '../backend/deletions.ts'
import type { Config } from '../config.ts'
import { type ActivityListener, isRefusalReason } from '../telemetry/activity-listener.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Tracing } from '../telemetry/tracing.ts'
import { type Refusal, RefusalLog } from '../telemetry/refusal-log.ts'
import { BodyTurns } from '../util/limits/body-turns.ts'
import { ByteBudget } from '../util/limits/byte-budget.ts'
import type { Clock } from '../util/time/clock.ts'
import { LogThrottle } from '../util/limits/log-throttle.ts'
import { RateLimit } from '../util/limits/rate-limit.ts'
import { decodeBody, parseBody, type PartialBody, readBody } from './request-body.ts'
import { SourceTurns, type Steps } from './source-turns.ts'
import { type EventsFromCalls, eventsFromCalls, isSuppressed } from './calls/events-from-calls.ts'
import { SuppressedCallRecorder } from './calls/suppressed-call-recorder.ts'
import {
  type Batch,
  type CallRules,
  isExpandedTooMuch,
  mayBeTooLarge,
  parseBatch,
  shapedSharedParts,
  singleCallBatch,
} from './calls/parse-call.ts'
import { receiptOf, shapedReceipt } from './calls/stamp.ts'
import type { Endpoint } from './endpoints.ts'
import {
  batchErrorResponse,
  errorResponse,
  type IngestResponse,
  isRefused,
  partialSuccess,
  type IngestRefusal,
  SUCCESS,
} from './responses.ts'
import {
  authenticate,
  keyFromBody,
  keyFromHeaders,
  keyFromQuery,
  KeyUseRecorder,
  RejectedKeyLogger,
  sourcesNamedIn,
} from './write-key.ts'

type IngestSettings = Pick<
  Config,
  | 'clockSkewToleranceMs'
  | 'maxBatchBytes'
  | 'maxBatchExpansionBytes'
  | 'maxBatchMessages'
  | 'maxMessageBytes'
  | 'maxNestingLevels'
  | 'maxBufferedBodyBytes'
>

export interface IngestDeps {
  readonly log: Pick<Log, 'append'>
  /** The number of fresh deliveries of this process that are not yet recorded. Absent if it only accepts calls. */
  readonly unrecorded?: (() => number) | undefined
  readonly catalog: Pick<Catalog, 'current'>
  readonly suppressions: Pick<Suppressions, 'has' | 'countSuppressed'>
  readonly keyUses: KeyUses
  readonly activity: Pick<ActivityListener, 'received' | 'rejected'>
  readonly clock: Clock
  readonly config: IngestSettings
  readonly metrics: Metrics
  readonly logger: Logger
  readonly tracing?: Tracing | undefined
  /** Shared with other threads; by default, the handler has its own. */
  readonly limits?: IngestLimits | undefined
}

interface IngestLimits {
  readonly rateLimit: RateLimit
  /** The memory of partial bodies, at most `maxBufferedBodyBytes`. */
  readonly partialBodies: ByteBudget
}

/** A request with its unparsed body. */
interface ReceivedRequest {
  readonly request: FastifyRequest
  readonly endpoint: Endpoint
  readonly body: PartialBody
  readonly isStrict: boolean
  readonly beginTrace: BeginTrace
}

/**
 * Returns the trace context of the request. The first invocation, made only after authentication, begins the span, so
 * that scanners do not fill the span queue.
 */
type BeginTrace = () => string | undefined

/** A request whose body is parsed and checked, with the result of its calls. */
interface CheckedRequest extends Pick<ReceivedRequest, 'endpoint' | 'isStrict'> {
  readonly source: Source
  readonly result: EventsFromCalls
}

/** The Retry-After of a 503, sent if the log is unavailable or the body memory is full. */
const OVERLOADED_RETRY_SECONDS = 5
const LOG_EVERY_MS = 10_000
/** Limits the bytes read per turn of the event loop, so that bodies do not delay everything else. */
const READ_BYTES_PER_TURN = 4 * 1024 * 1024
/** Above this number of unrecorded deliveries, bodies get shorter turns. About the number of attempts in flight to one webhook. */
const MANY_UNRECORDED = 64
/** Smaller bodies are parsed to find their key. Larger or compressed ones are searched first. */
const SEARCHED_BYTES = 16 * 1024
/** Stands in for the unknown source of a body. No source has this id. */
const NO_SOURCE = ''

/** Codes with a more detailed log line. */
const LOGGED_BY_OTHERS: ReadonlySet<IngestCodeName> = new Set<IngestCodeName>([
  'unknown_write_key',
  'source_disabled',
  'overloaded',
])

/**
 * Handles a request with calls: authenticates, parses, limits the rate, creates events, and appends them to the log.
 */
export class IngestionHandler {
  readonly #deps: IngestDeps
  readonly #rateLimit: RateLimit
  readonly #rejectedKeys: RejectedKeyLogger
  readonly #keyUses: KeyUseRecorder
  readonly #suppressedCalls: SuppressedCallRecorder
  readonly #overloads: LogThrottle
  readonly #refusals: RefusalLog
  readonly #partialBodies: ByteBudget
  readonly #reading: BodyTurns
  readonly #turns: SourceTurns

  constructor(deps: IngestDeps) {
    this.#deps = deps
    this.#rateLimit = deps.limits?.rateLimit ?? new RateLimit(deps.clock)
    this.#rejectedKeys = new RejectedKeyLogger(deps.clock, deps.logger)
    this.#keyUses = new KeyUseRecorder(deps.keyUses, deps.clock, deps.logger)
    this.#suppressedCalls = new SuppressedCallRecorder(deps.suppressions, deps.clock, deps.logger)
    this.#overloads = new LogThrottle(deps.clock, LOG_EVERY_MS)
    this.#refusals = new RefusalLog(deps.clock, deps.logger)
    const partialBodies =
      deps.limits?.partialBodies ?? new ByteBudget(deps.config.maxBufferedBodyBytes)
    this.#partialBodies = partialBodies
    this.#reading = new BodyTurns(deps.clock, READ_BYTES_PER_TURN)
    this.#turns = new SourceTurns(deps.clock, () => (deps.unrecorded?.() ?? 0) > MANY_UNRECORDED)
    deps.metrics.beforeScrape(() => deps.metrics.partialBodies.set(partialBodies.ownBytes))
  }

  /** Resolves to the response. A 200 means that the accepted calls, except calls for suppressed users, are durable in the log. */
  async handle(
    request: FastifyRequest,
    endpoint: Endpoint,
    beginTrace: BeginTrace,
  ): Promise<IngestResponse> {
    const earlyKey = keyFromHeaders(request.headers) ?? keyFromQuery(request.query)
    // Before the body is read, so that a request with an invalid key costs little.
    const early = earlyKey === undefined ? undefined : this.#authenticate(earlyKey)
    if (early && isRefused(early)) return this.#refuse(early.refused, early)
    if (early) beginTrace()
    const limited = early && this.#limited(early)
    if (limited !== undefined) return limited
    const body = await readBody(request.raw, {
      maxBytes: this.#deps.config.maxBatchBytes,
      partialBodies: this.#partialBodies,
      reading: this.#reading,
    })
    if (isRefused(body)) return this.#refuseBody(body.refused, early)
    const isStrict = request.headers['x-strict-mode'] === '1'
    const received = { request, endpoint, body, isStrict, beginTrace }
    const checked = await this.#check(received, early)
    return 'result' in checked ? this.#store(checked) : checked
  }

  /** Logs the unknown key of a settings request, which is not a call. */
  logUnknownKey(writeKey: string): void {
    this.#rejectedKeys.add(writeKey, 'unknown_write_key')
  }

  /** Parses and checks the body when it is the turn of its source. */
  async #check(
    received: ReceivedRequest,
    early: Source | undefined,
  ): Promise<CheckedRequest | IngestResponse> {
    const { bytes } = received.body
    const isSearched = early === undefined && (bytes >= SEARCHED_BYTES || isEncoded(received))
    let found = early
    if (isSearched) {
      const searched = await this.#inTurn(received, undefined, this.#findSource(received))
      if (searched !== undefined && 'status' in searched) return searched
      found = searched
    }
    return this.#inTurn(received, found, this.#checkInSteps(received, { early, found }))
  }

  async #inTurn<T>(
    { body }: ReceivedRequest,
    source: Source | undefined,
    steps: Steps<T>,
  ): Promise<T | IngestResponse> {
    if (!this.#turns.isOpen && !body.hold()) return this.#refuseBody('overloaded', source)
    return this.#turns.run({ source: source?.id ?? NO_SOURCE, bytes: body.bytes }, steps)
  }

  /**
   * Finds the source that the text of a body names, without parsing it; `undefined` if only parsing can find it. Refuses a
   * large body that names none, and one that cannot be decoded.
   */
  *#findSource({ request, body }: ReceivedRequest): Steps<Source | undefined | IngestResponse> {
    const { catalog, config } = this.#deps
    const encoding = request.raw.headers['content-encoding']
    const decoded = decodeBody(body.receivedBytes, encoding, config.maxBatchBytes)
    yield
    if (!isRefused(decoded)) {
      const named = sourcesNamedIn(catalog.current, decoded.text)
      if (named.size === 1) return [...named][0]
      if (named.size > 1 || decoded.bytes < SEARCHED_BYTES) return undefined
    }
    body.drop()
    const code = isRefused(decoded) ? decoded.refused : 'unknown_write_key'
    return this.#refuseBody(code, undefined)
  }

  *#checkInSteps(
    received: ReceivedRequest,
    { early, found }: { readonly early: Source | undefined; readonly found: Source | undefined },
  ): Steps<CheckedRequest | IngestResponse> {
    const { request, endpoint, isStrict, beginTrace } = received
    const { config, clock } = this.#deps
    // Other bodies from the source may have used up its tokens since this one was read.
    const limited = found && this.#limited(found)
    const bytes = received.body.take()
    if (limited) return limited
    const encoding = request.raw.headers['content-encoding']
    const body = parseBody(bytes, encoding, config.maxBatchBytes)
    if (isRefused(body)) return this.#refuseBody(body.refused, early)
    yield
    const source = early ? this.#current(early) : this.#authenticate(keyFromBody(body.json))
    if (isRefused(source)) return this.#refuse(source.refused, source)
    const traceContext = beginTrace()
    const batch = endpoint.type ? singleCallBatch(body.json) : parseBatch(body.json, config)
    if (isRefused(batch)) return this.#refuse(batch.refused, { source })
    const calls = batch.calls.length
    const retryAfterSeconds = this.#rateLimit.take(source, calls)
    if (retryAfterSeconds > 0) {
      return this.#refuse('rate_limited', { calls, source, retryAfterSeconds })
    }
    const { fields } = source
    const rules = rulesFor(batch, body, { type: endpoint.type, fields, config })
    if (isRefused(rules)) return this.#refuse(rules.refused, { source })
    const receipt = receiptOf(request, batch.sentAt, clock.wall(), config.clockSkewToleranceMs)
    const result = yield* eventsFromCalls({
      calls: batch.calls,
      sourceId: source.id,
      rules,
      receipt: fields === undefined ? receipt : shapedReceipt(receipt, fields),
      text: body.text,
      isStrict,
      traceContext,
    })
    for (const { code } of result.rejected) this.#countRefused(code, { source })
    return { source, endpoint, isStrict, result }
  }

  /** Refuses a body before it is parsed if its source has used up its limit. The number of its calls is unknown. */
  #limited(source: Source): IngestResponse | undefined {
    const retryAfterSeconds = this.#rateLimit.take(source, 0)
    return retryAfterSeconds > 0
      ? this.#refuse('rate_limited', { source, retryAfterSeconds })
      : undefined
  }

  /** The current state of a source, which may have changed while the body was read, or a refusal. */
  #current({ id }: Source): Source | IngestRefusal {
    const source = this.#deps.catalog.current.sources.get(id)
    if (source === undefined) return { refused: 'unknown_write_key' }
    return source.enabled ? source : { refused: 'source_disabled' }
  }

  #authenticate(writeKey: string | undefined): Source | IngestRefusal {
    const source = authenticate(this.#deps.catalog.current, writeKey)
    if (isRefused(source)) this.#rejectedKeys.add(writeKey, source.refused)
    else this.#keyUses.record(writeKey!)
    return source
  }

  async #store({ source, endpoint, isStrict, result }: CheckedRequest): Promise<IngestResponse> {
    const { events, rejected } = result
    const isBatch = endpoint.type === undefined
    const [first, ...others] = rejected
    if (first !== undefined && (isStrict || events.length === 0)) {
      return isBatch ? batchErrorResponse([first, ...others]) : errorResponse(first.code)
    }
    const { log, metrics, suppressions, activity } = this.#deps
    // Immediately before the append, so that the purge that follows a suppression finds all earlier events.
    const suppressed = events.filter((event) => isSuppressed(event, suppressions))
    const accepted =
      suppressed.length === 0
        ? events
        : events.filter((event) => !isSuppressed(event, suppressions))
    const stopTimer = metrics.logCommit.startTimer()
    try {
      await log.append(accepted)
    } catch (error) {
      if (!(error instanceof BackendUnavailableError)) throw error
      return this.#overloaded(error, { source, calls: events.length })
    }
    stopTimer()
    metrics.ingestEvents.inc({ result: 'accepted' }, accepted.length)
    activity.received(accepted)
    if (suppressed.length > 0) {
      this.#count('suppressed', { source, calls: suppressed.length })
      this.#suppressedCalls.record(suppressed)
    }
    return first === undefined ? SUCCESS : partialSuccess(rejected)
  }

  #overloaded(error: BackendUnavailableError, refusal: Refusal): IngestResponse {
    this.#overloads.count('append', (requests) =>
      this.#deps.logger.error({ err: error, requests }, 'ingest.overloaded'),
    )
    const retryAfterSeconds = OVERLOADED_RETRY_SECONDS
    this.#countRefused('overloaded', refusal)
    return errorResponse('overloaded', { retryAfterSeconds, reason: error.publicReason })
  }

  #refuseBody(code: IngestCodeName, source: Source | undefined): IngestResponse {
    if (code === 'unknown_write_key') this.#rejectedKeys.add(undefined, code)
    if (code !== 'overloaded') return this.#refuse(code, { source })
    const partialBodyBytes = this.#partialBodies.takenBytes
    this.#overloads.count('body', (requests) =>
      this.#deps.logger.error({ partialBodyBytes, requests }, 'ingest.body_memory_exhausted'),
    )
    return this.#refuse(code, { source, retryAfterSeconds: OVERLOADED_RETRY_SECONDS })
  }

  #refuse(
    code: IngestCodeName,
    { retryAfterSeconds, ...refusal }: Refusal & { readonly retryAfterSeconds?: number } = {},
  ): IngestResponse {
    this.#countRefused(code, refusal)
    return errorResponse(code, { retryAfterSeconds })
  }

  #countRefused(code: IngestCodeName, refusal: Refusal): void {
    this.#count(code, refusal)
    if (!LOGGED_BY_OTHERS.has(code)) this.#refusals.add(code, refusal)
  }

  #count(result: 'suppressed' | IngestCodeName, { calls = 1, source }: Refusal): void {
    this.#deps.metrics.ingestEvents.inc({ result }, calls)
    if (isRefusalReason(result)) this.#deps.metrics.refusedCalls.inc({ reason: result }, calls)
    this.#deps.activity.rejected(result, calls, source?.id)
  }
}

function isEncoded({ request }: ReceivedRequest): boolean {
  return request.raw.headers['content-encoding'] !== undefined
}

function rulesFor(
  batch: Batch,
  { bytes, isUtf8 }: { readonly bytes: number; readonly isUtf8: boolean },
  { type, fields, config }: Pick<CallRules, 'type' | 'fields'> & Pick<IngestDeps, 'config'>,
): CallRules | IngestRefusal {
  const { maxMessageBytes, maxNestingLevels: maxLevels } = config
  // A hash can be longer than its value.
  const isHashed = fields?.hash !== undefined
  const shared = fields === undefined ? batch.shared : shapedSharedParts(batch.shared, fields)
  if (isExpandedTooMuch(batch.calls.length, shared, config)) return { refused: 'batch_too_large' }
  const mustMeasure = isHashed || mayBeTooLarge(bytes, shared, maxMessageBytes)
  const maxBytes = mustMeasure ? maxMessageBytes : undefined
  return { type, fields, shared, isUtf8, maxLevels, maxBytes }
}
