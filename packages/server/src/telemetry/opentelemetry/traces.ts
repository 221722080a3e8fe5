import {
  type Attributes,
  createTraceState,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { type DeliveryState, isMailUrl, mailPortOf } from '@hookline/protocol'
import {
  isSampled,
  newSpanId,
  newTraceId,
  remoteSpanIn,
  type RemoteSpan,
  traceContextIn,
  traceContextOf,
  traceHeadersOf,
} from '../trace-context.ts'
import {
  type AttemptSpan,
  type CallSpan,
  type DeliverySpan,
  type TracedAttempt,
  type TracedRequest,
  type Tracing,
  type TracingOptions,
  unrecordedCall,
  unrecordedDelivery,
} from '../tracing.ts'
import { waitForShutdown, withFailureLog, resourceOf } from './export.ts'
import { Variables } from './variables.ts'

const FAILED: ReadonlySet<DeliveryState> = new Set(['rejected', 'expired', 'quarantined'])

/** Sends spans to a collector. The queue is bounded: beyond `OTEL_BSP_MAX_QUEUE_SIZE`, spans are dropped. */
export class OpenTelemetryTracing implements Tracing {
  readonly #options: TracingOptions
  readonly #provider: TracerProvider
  readonly #tracer: Tracer
  readonly #sampler: Sampler
  readonly #isParentBased: boolean
  /** The id of the next trace that begins here. */
  #newTrace = ''

  constructor(options: TracingOptions) {
    const variables = new Variables(options.logger)
    variables.check('TRACES')
    const settings = {
      maxQueueSize: variables.positive('OTEL_BSP_MAX_QUEUE_SIZE'),
      maxExportBatchSize: variables.positive('OTEL_BSP_MAX_EXPORT_BATCH_SIZE'),
      scheduledDelayMillis: variables.positive('OTEL_BSP_SCHEDULE_DELAY'),
      exportTimeoutMillis: variables.positive('OTEL_BSP_EXPORT_TIMEOUT'),
    }
    const exporter = withFailureLog(new OTLPTraceExporter(), 'traces', options)
    const sampler = variables.sampler()
    this.#options = options
    this.#sampler = sampler
    this.#isParentBased = sampler instanceof ParentBasedSampler
    this.#provider = new TracerProvider({
      resource: resourceOf(options.version),
      sampler,
      idGenerator: { generateTraceId: () => this.#newTrace, generateSpanId: newSpanId },
      spanProcessors: [new BatchSpanProcessor({ exporter, ...present(settings) })],
    })
    this.#tracer = this.#provider.getTracer('hookline', options.version)
  }

  beginCall({ path, route, scheme, headers, startedAt: startTime }: TracedRequest): CallSpan {
    const traceContext = traceContextIn(headers)
    if (traceContext !== undefined && this.#isUnsampled(traceContext))
      return unrecordedCall(traceContext)
    const name = `POST ${route}`
    const refused =
      traceContext === undefined ? this.#refusedTrace(name, SpanKind.SERVER) : undefined
    if (refused !== undefined) return unrecordedCall(refused)
    const parent = traceContext === undefined ? undefined : spanContextOf(traceContext)
    const attributes = {
      'http.request.method': 'POST',
      'http.route': route,
      'url.path': path,
      'url.scheme': scheme,
    }
    const span = this.#begin(name, parent, {
      kind: SpanKind.SERVER,
      startTime,
      attributes,
    })
    return {
      traceContext: traceContextOf(remoteSpanOf(span.spanContext())),
      end: (status) => {
        span.setAttribute('http.response.status_code', status)
        if (status >= 500) setFailed(span, String(status))
        span.end()
      },
    }
  }

  beginDelivery(...[delivery, content, waitedMs]: Parameters<Tracing['beginDelivery']>) {
    const { traceContext } = content
    if (traceContext !== undefined && this.#isUnsampled(traceContext))
      return this.#unrecordedDelivery(traceContext)
    const refused =
      traceContext === undefined ? this.#refusedTrace('deliver', SpanKind.PRODUCER) : undefined
    if (refused !== undefined) return this.#unrecordedDelivery(refused)
    const call = traceContext === undefined ? undefined : spanContextOf(traceContext)
    const attributes = {
      ...(content.type !== 'delete' && { 'hookline.event.id': content.id }),
      'hookline.delivery.id': delivery.id,
      'hookline.destination.id': delivery.destinationId,
    }
    const span = this.#begin('deliver', call, {
      kind: SpanKind.PRODUCER,
      startTime: this.#options.clock.wall() - waitedMs,
      attributes,
      ...(call && { links: [{ context: call }] }),
    })
    if (span.isRecording()) return this.#recordedDelivery(span, attributes)
    return this.#unrecordedDelivery(traceContextOf(remoteSpanOf(span.spanContext())))
  }

  /** Whether the trace is unsampled. Checking here is far cheaper than in the SDK. */
  #isUnsampled(traceContext: string): boolean {
    return this.#isParentBased && !isSampled(traceContext)
  }

  /**
   * Samples a new trace. Returns its trace context if it is not recorded; otherwise `undefined`, and the next root span gets its
   * trace id.
   */
  #refusedTrace(name: string, kind: SpanKind): string | undefined {
    const traceId = newTraceId()
    this.#newTrace = traceId
    const { decision } = this.#sampler.shouldSample(ROOT_CONTEXT, traceId, name, kind, {}, [])
    if (decision !== SamplingDecision.NOT_RECORD) return undefined
    return traceContextOf({ traceId, spanId: newSpanId(), flags: 0, tracestate: undefined })
  }

  #unrecordedDelivery(traceContext: string): DeliverySpan | undefined {
    return this.#options.continuesTraces ? unrecordedDelivery(traceContext) : undefined
  }

  #recordedDelivery(span: Span, attributes: Attributes): DeliverySpan {
    return {
      beginAttempt: (attempt) => this.#beginAttempt(span, attributes, attempt),
      end: (state) => {
        span.setAttribute('hookline.delivery.state', state)
        if (FAILED.has(state)) setFailed(span, state)
        span.end()
      },
    }
  }

  #beginAttempt(parent: Span, ids: Attributes, attempt: TracedAttempt): AttemptSpan {
    const { method, number, url } = attempt
    const isMail = isMailUrl(url)
    const attributes = {
      ...ids,
      ...(!isMail && { 'http.request.method': method }),
      ...urlAttributes(url),
      ...(!isMail && number > 1 && { 'http.request.resend_count': number - 1 }),
    }
    const options = { kind: SpanKind.CLIENT, attributes }
    const span = this.#begin(isMail ? 'SMTP' : method, parent.spanContext(), options)
    return {
      headers: this.#options.continuesTraces
        ? traceHeadersOf(remoteSpanOf(span.spanContext()))
        : undefined,
      end: (result) => {
        if (result?.status !== undefined && !isMail)
          span.setAttribute('http.response.status_code', result.status)
        if (result === undefined) setFailed(span, 'aborted')
        else if (result.outcome !== 'delivered') setFailed(span, result.class)
        span.end()
      },
    }
  }

  #begin(
    name: string,
    parent: SpanContext | undefined,
    options: Parameters<Tracer['startSpan']>[1],
  ): Span {
    const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent)
    return this.#tracer.startSpan(name, options, context)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return waitForShutdown(this.#options.clock, this.#provider.shutdown())
  }
}

function setFailed(span: Span, type: string): void {
  span.setAttribute('error.type', type)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

/** The configured URL, without its query. It contains no credentials: the settings do not allow them. */
function urlAttributes(configured: string): Attributes {
  const { protocol, hostname, port } = new URL(configured)
  const [url = ''] = configured.split(/[?#]/, 1)
  return {
    'url.full': url,
    'server.address': hostname,
    'server.port': isMailUrl(configured)
      ? mailPortOf({ protocol, port })
      : Number(port) || (protocol === 'https:' ? 443 : 80),
  }
}

function spanContextOf(traceContext: string): SpanContext {
  const { traceId, spanId, flags, tracestate } = remoteSpanIn(traceContext)
  const span = { traceId, spanId, traceFlags: flags, isRemote: true }
  return tracestate === undefined ? span : { ...span, traceState: createTraceState(tracestate) }
}

function remoteSpanOf({ traceId, spanId, traceFlags, traceState }: SpanContext): RemoteSpan {
  return { traceId, spanId, flags: traceFlags, tracestate: traceState?.serialize() || undefined }
}

/** The settings that have a value. */
function present<T extends object>(settings: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const entries = Object.entries(settings).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [K in keyof T]?: NonNullable<T[K]> }
}
