import type { Exchange } from './exchanges.ts'

type Fields = Readonly<Record<string, unknown>>

/** A call as a library put it on the wire, and what became of the request. */
export interface WireCall {
  readonly fields: Fields
  /** The batch around it; the call itself where it was sent alone. */
  readonly envelope: Fields
  /** `refused`: by a 4xx, or by name in a 200. `unknown`: by no response, or by a proxy. */
  readonly response: 'stored' | 'refused' | 'unknown'
  readonly isFromBrowser: boolean
}

/** The calls of each request to the ingestion API. */
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

/** The id of a call, from its properties, its traits or, of an alias call or in a capture, its user. */
export function callIdOf({ properties, traits, context, ...call }: Fields): string {
  const { traits: ofContext } = (context ?? {}) as { traits?: unknown }
  // The last is where RudderStack's libraries have the traits of a user.
  const [id] = [properties, traits, ofContext].flatMap((fields) => {
    const named = (fields as Fields | null | undefined)?.['call']
    return named === undefined ? [] : [named]
  })
  return String(id ?? call['userId'] ?? call['User ID'] ?? call['anonymousId'])
}

/** A call that is sent alone may have its type in the path alone. */
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
