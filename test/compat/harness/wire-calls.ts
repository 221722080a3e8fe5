import type { Exchange } from './exchanges.ts'

type Fields = Readonly<Record<string, unknown>>

/** A call as it was on the wire, with the outcome of its request. */
export interface WireCall {
  readonly fields: Fields
  /** The batch that contains the call, or the call itself if it was sent alone. */
  readonly envelope: Fields
  /**
   * `refused`: with a 4xx, or listed as rejected in a 200. `unknown`: no response, a 5xx, or one from the proxy.
   */
  readonly response: 'stored' | 'refused' | 'unknown'
  readonly isFromBrowser: boolean
}

/** The calls in each request to the ingestion API. */
export function wireCallsOf(exchanges: readonly Exchange[]): WireCall[] {
  return exchanges
    .filter(({ method, json }) => method === 'POST' && isObject(json))
    .flatMap((exchange) => {
      const envelope = exchange.json as Fields
      const { batch } = envelope
      const calls = Array.isArray(batch)
        ? (batch as Fields[])
        : 'batch' in envelope
          ? []
          : [envelope]
      const refused = refusedIn(exchange)
      return calls.map((fields, index) => ({
        fields: { type: typeIn(exchange.path), ...fields },
        envelope,
        response: responseTo(exchange, refused.has(index)),
        isFromBrowser: exchange.headers['origin'] !== undefined,
      }))
    })
}

/** The id of a call, from its properties or traits or, for alias calls and captures, its user id. */
export function callIdOf({ properties, traits, context, ...call }: Fields): string {
  const { traits: ofContext } = (context ?? {}) as { traits?: unknown }
  // RudderStack's libraries send user traits in the context.
  const [id] = [properties, traits, ofContext].flatMap((fields) => {
    const named = (fields as Fields | null | undefined)?.['call']
    return named === undefined ? [] : [named]
  })
  return String(id ?? call['userId'] ?? call['User ID'] ?? call['anonymousId'])
}

/** A call that is sent alone may have its type only in the path. */
function typeIn(path: string): string | undefined {
  return /^\/v1\/(identify|track|page|screen|group|alias)\b/.exec(path)?.[1]
}

function responseTo({ isToService, status }: Exchange, isRefused: boolean): WireCall['response'] {
  if (!isToService || status === undefined || status >= 500) return 'unknown'
  return status === 200 && !isRefused ? 'stored' : 'refused'
}

function refusedIn({ response }: Exchange): ReadonlySet<number> {
  const { rejected = [] } = (response ?? {}) as { rejected?: readonly { index: number }[] }
  return new Set(rejected.map(({ index }) => index))
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
