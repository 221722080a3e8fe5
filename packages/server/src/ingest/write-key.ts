import { type IngestCodeName, isJsonObject, type Json, type Source } from '@hookline/protocol'
import type { IncomingHttpHeaders } from 'node:http'
import type { IngestRefusal } from './responses.ts'
import type { CatalogSnapshot, KeyUses } from '../backend/catalog.ts'
import type { Logger } from '../telemetry/logger.ts'
import { LogThrottle } from '../util/limits/log-throttle.ts'
import type { Clock } from '../util/time/clock.ts'

/** The source of this write key, if it is enabled. */
export function authenticate(
  catalog: CatalogSnapshot,
  writeKey: string | undefined,
): Source | IngestRefusal {
  const source = writeKey === undefined ? undefined : catalog.sourceByWriteKey.get(writeKey)
  if (source === undefined) return { refused: 'unknown_write_key' }
  return source.enabled ? source : { refused: 'source_disabled', source }
}

// Keys are looked up in headers, query and body. The body comes last: an invalid key in the headers or query is refused
// without reading it.

/** The Basic user name (with or without a colon), the Bearer token, or `X-Write-Key`. */
export function keyFromHeaders(headers: IncomingHttpHeaders): string | undefined {
  return keyFromAuthorization(headers.authorization) ?? textOf(headers['x-write-key'])
}

/** `writeKey` of the batch or the single call, else of the first call in the batch. */
export function keyFromBody(body: Json): string | undefined {
  if (!isJsonObject(body)) return undefined
  const { writeKey, batch } = body
  const first: unknown = Array.isArray(batch) ? batch[0] : undefined
  return textOf(writeKey) ?? (isJsonObject(first) ? textOf(first['writeKey']) : undefined)
}

const WRITTEN_KEYS = /"writeKey"\s*:\s*"([^"\\]+)"/g

/** The sources whose keys are in the text of a body, unescaped. Much faster than parsing a large body without a key. */
export function sourcesNamedIn(catalog: CatalogSnapshot, body: string): ReadonlySet<Source> {
  const named = new Set<Source>()
  for (const [, key] of body.matchAll(WRITTEN_KEYS)) {
    const source = catalog.sourceByWriteKey.get(key!)
    if (source !== undefined) named.add(source)
  }
  return named
}

/** `?writeKey=`, as beacons send it. */
export function keyFromQuery(query: unknown): string | undefined {
  return isJsonObject(query) ? textOf(query['writeKey']) : undefined
}

/** Clients send the same header with each request, so the keys of this many headers are cached. */
const MAX_CACHED_HEADERS = 1_000
const MAX_CACHED_LENGTH = 200

const keyByHeader = new Map<string, string>()

function keyFromAuthorization(header = ''): string | undefined {
  const known = keyByHeader.get(header)
  if (known !== undefined) return known
  const key = readKey(header)
  if (key !== undefined && header.length <= MAX_CACHED_LENGTH) {
    if (keyByHeader.size === MAX_CACHED_HEADERS) keyByHeader.clear()
    keyByHeader.set(header, key)
  }
  return key
}

function readKey(header: string): string | undefined {
  const [, scheme, credentials] = /^(basic|bearer) +(\S+)$/i.exec(header.trim()) ?? []
  if (scheme === undefined || credentials === undefined) return undefined
  if (scheme.toLowerCase() === 'bearer') return credentials
  const [user] = Buffer.from(credentials, 'base64').toString('utf8').split(':', 1)
  return textOf(user)
}

/** The value, or the first of several, if it is a non-empty string. */
function textOf(value: unknown): string | undefined {
  const text: unknown = Array.isArray(value) ? value[0] : value
  return typeof text === 'string' && text !== '' ? text : undefined
}

/** The last use of a key is stored at most this often, to avoid a write for every request with a busy key. */
const RECORD_EVERY_MS = 60_000

/** Records when write keys were last used. No call waits for it. */
export class KeyUseRecorder {
  readonly #uses: KeyUses
  readonly #clock: Clock
  readonly #logger: Logger

  constructor(uses: KeyUses, clock: Clock, logger: Logger) {
    this.#uses = uses
    this.#clock = clock
    this.#logger = logger
  }

  record(key: string): void {
    const now = this.#clock.wall()
    if (Math.abs(now - (this.#uses.lastUsedAt(key) ?? 0)) < RECORD_EVERY_MS) return
    this.#uses.mark(key, now).catch((error: unknown) => {
      this.#logger.warn({ err: error }, 'write_key.last_use_write_failed')
    })
  }
}

/** Enough characters to recognise the key, too few to use it. */
const PREFIX_CHARACTERS = 6
const LOG_EVERY_MS = 60_000

/** Logs requests whose write key was refused, and the first characters of the key. */
export class RejectedKeyLogger {
  readonly #logger: Logger
  readonly #prefixes: LogThrottle

  constructor(clock: Clock, logger: Logger) {
    this.#logger = logger
    this.#prefixes = new LogThrottle(clock, LOG_EVERY_MS)
  }

  /** Logs each prefix and code at most once a minute, with the number of requests; `null` stands for all other prefixes. */
  add(writeKey: string | undefined, code: IngestCodeName): void {
    const keyPrefix = this.#prefixes.clientKey(prefixOf(writeKey))
    this.#prefixes.count(JSON.stringify([code, keyPrefix]), (requests) =>
      this.#logger.warn({ code, keyPrefix, requests }, 'write_key.rejected'),
    )
  }
}

/** Replaces characters that control the terminal in which the log is read. */
function prefixOf(writeKey = ''): string {
  return writeKey.slice(0, PREFIX_CHARACTERS).replaceAll(/[^\x20-\x7e]/g, '?')
}
