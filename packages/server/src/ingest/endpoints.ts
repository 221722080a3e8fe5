import { EVENT_TYPES, type EventType } from '@hookline/protocol'

/** A path to which clients POST calls. */
export interface Endpoint {
  readonly path: string
  /** The full path, even for a short form. It is the label in the metrics. */
  readonly route: string
  /** The type of the call in the body; absent for a batch. */
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
  const paths = [route, SHORT_PATHS[type], `/api/s/${type}`, `/api/s/s2s/${type}`]
  return paths.map((path) => ({ path, route, type }))
})

const BATCH_PATHS = ['/v1/batch', '/v1/import', '/v1/b', '/beacon/v1/batch']

const batches = BATCH_PATHS.map((path): Endpoint => ({ path, route: '/v1/batch' }))

/** All paths for calls, including the paths of Jitsu's libraries (`/api/s`) and RudderStack's beacon. */
export const ENDPOINTS: readonly Endpoint[] = [...singles, ...batches]

/** The path for metrics of client libraries. The response is always a success, and the body is ignored. */
export const CLIENT_TELEMETRY_PATH = '/v1/m'

/** The settings path, and the one used by clients with a custom CDN host. */
export const SETTINGS_PATHS = ['/v1/projects/:writeKey/settings', '/projects/:writeKey/settings']

const SETTINGS = /^(?:\/v1)?\/projects\/[^/]+\/settings\/?$/
const PATHS: ReadonlySet<string> = new Set([
  ...ENDPOINTS.map(({ path }) => path),
  CLIENT_TELEMETRY_PATH,
])

/** The URL of an ingestion request with single slashes: clients whose host ends with a slash send `//v1/batch`. */
export function ingestionUrl(url: string): string {
  if (!url.includes('//')) return url
  const end = url.indexOf('?')
  const path = (end < 0 ? url : url.slice(0, end)).replace(/\/{2,}/g, '/')
  return isIngestionPath(path) ? path + (end < 0 ? '' : url.slice(end)) : url
}

/** Whether a request belongs to ingestion. A thread that only ingests forwards all others to the main thread. */
export function isForIngestion(url: string): boolean {
  const [path = ''] = ingestionUrl(url).split('?', 1)
  return isIngestionPath(path)
}

/** Ignores a trailing slash, as the router does. */
function isIngestionPath(path: string): boolean {
  return PATHS.has(path.endsWith('/') ? path.slice(0, -1) : path) || SETTINGS.test(path)
}
