import { EVENT_TYPES, type EventType } from '@hookline/protocol'

/** A path that takes calls by POST. */
export interface Endpoint {
  readonly path: string
  /** The path in full, where `path` is a browser's short form: the label in the metrics. */
  readonly route: string
  /** The type of the one call it takes; absent where it takes a batch. */
  readonly type?: EventType
}

const SHORT_PATHS: Readonly<Record<EventType, string>> = {
  identify: '/v1/i',
  track: '/v1/t',
  page: '/v1/p',
  screen: '/v1/s',
  group: '/v1/g',
  alias: '/v1/a',
}

const singles = EVENT_TYPES.flatMap((type): readonly Endpoint[] => {
  const route = `/v1/${type}`
  return [
    { path: route, route, type },
    { path: SHORT_PATHS[type], route, type },
  ]
})

const batches = ['/v1/batch', '/v1/import', '/v1/b'].map((path): Endpoint => ({
  path,
  route: '/v1/batch',
}))

/** Every path that takes calls (spec 01, §Routes). */
export const ENDPOINTS: readonly Endpoint[] = [...singles, ...batches]

/** Where client libraries report about themselves: answered, not read. */
export const CLIENT_TELEMETRY_PATH = '/v1/m'
