import { openReceiver, type Receiver } from './receiver.ts'

type Attributes = Readonly<Record<string, string | number>>

interface OtlpValue {
  readonly stringValue?: string
  readonly intValue?: string | number
}

interface OtlpAttribute {
  readonly key: string
  readonly value: OtlpValue
}

interface OtlpSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly attributes?: readonly OtlpAttribute[]
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[]
  readonly status: { readonly code: number }
}

export interface ReceivedSpan extends Omit<OtlpSpan, 'attributes'> {
  readonly attributes: Attributes
}

interface OtlpPoint {
  readonly attributes?: readonly OtlpAttribute[]
  readonly asDouble?: number
  readonly count?: number | string
  readonly bucketCounts?: readonly (number | string)[]
  readonly explicitBounds?: readonly number[]
}

interface OtlpMetric {
  readonly name: string
  readonly sum?: { readonly dataPoints: readonly OtlpPoint[]; readonly isMonotonic: boolean }
  readonly gauge?: { readonly dataPoints: readonly OtlpPoint[] }
  readonly histogram?: { readonly dataPoints: readonly OtlpPoint[] }
}

interface ExportRequest {
  readonly resourceSpans?: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[]
  }[]
  readonly resourceMetrics?: readonly {
    readonly scopeMetrics: readonly { readonly metrics: readonly OtlpMetric[] }[]
  }[]
}

/** Receives spans and metrics as OTLP over HTTP, in the JSON encoding of its protobuf messages. */
export class OtlpCollector implements AsyncDisposable {
  readonly receiver: Receiver

  private constructor(receiver: Receiver) {
    this.receiver = receiver
  }

  static async open(): Promise<OtlpCollector> {
    const ok = { headers: { 'content-type': 'application/json' }, body: '{}' }
    return new OtlpCollector(await openReceiver({ respond: ok }))
  }

  get endpoint(): string {
    return new URL(this.receiver.url).origin
  }

  /** All spans so far. */
  get spans(): readonly ReceivedSpan[] {
    return this.#exports('/v1/traces')
      .flatMap(({ resourceSpans = [] }) => resourceSpans)
      .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
      .map((span) => ({ ...span, attributes: attributesIn(span.attributes) }))
  }

  get resources(): readonly Attributes[] {
    return this.#exports('/v1/traces')
      .flatMap(({ resourceSpans = [] }) => resourceSpans)
      .map(({ resource }) => attributesIn(resource.attributes))
  }

  /** The metrics of the last export. */
  get metrics(): readonly OtlpMetric[] {
    const { resourceMetrics = [] } = this.#exports('/v1/metrics').at(-1) ?? {}
    return resourceMetrics.flatMap(({ scopeMetrics }) =>
      scopeMetrics.flatMap((each) => each.metrics),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.receiver[Symbol.asyncDispose]()
  }

  #exports(path: string): ExportRequest[] {
    return this.receiver.requests
      .filter((request) => request.path === path)
      .map(({ body }) => JSON.parse(body.toString()) as ExportRequest)
  }
}

export function attributesIn(attributes: readonly OtlpAttribute[] = []): Attributes {
  const entries = attributes.map(({ key, value: { stringValue, intValue } }) => [
    key,
    stringValue ?? Number(intValue),
  ])
  return Object.fromEntries(entries) as Attributes
}
