import type { Attempt, Destination } from '@hookline/protocol'
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { type Catalog, CatalogConflict } from '../../backend/catalog.ts'
import type { Clock } from '../../util/clock.ts'
import { pause } from '../../util/pause.ts'
import { patiently } from '../records/patiently.ts'

/** Answers 410 in a row, each at least a minute after the one counted before. */
export interface GoneSoFar {
  readonly count: number
  readonly lastAt: number
}

const GONE = 410
const ENOUGH = 3
const APART_MS = 60_000
const MOST_KEPT = 10_000
/** By then this node knows the change that was faster. */
const AFTER_CONFLICT_MS = 1_000

/** What an attempt adds to the count; no answer at all adds nothing and takes nothing away. Pure. */
export function countGone(
  before: GoneSoFar | undefined,
  status: number | undefined,
  now: number,
): GoneSoFar | undefined {
  if (status === undefined) return before
  if (status !== GONE) return undefined
  if (before === undefined) return { count: 1, lastAt: now }
  return now - before.lastAt < APART_MS ? before : { count: before.count + 1, lastAt: now }
}

export interface GoneWatchOptions {
  readonly catalog: Catalog
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Pauses a webhook whose receiver says that it is gone for good: 410, three times in a row and a minute
 * apart (spec 02 §What an answer means): one bad minute is not the end. It stays paused until someone resumes it.
 */
export class GoneWatch {
  readonly #options: GoneWatchOptions
  readonly #soFar = new LRUCache<string, GoneSoFar>({ max: MOST_KEPT })

  constructor(options: GoneWatchOptions) {
    this.#options = options
  }

  /** An attempt has ended. Where it led to a pause, this resolves when that is in the catalog. */
  learn(
    destinationId: string,
    { url, status }: Pick<Attempt, 'url' | 'status'>,
    signal: AbortSignal,
  ): Promise<unknown> | undefined {
    // Nearly every answer: none said 410 before, and this one does not either.
    if (status !== GONE && this.#soFar.size === 0) return undefined
    const key = `${destinationId} ${url}`
    const soFar = countGone(this.#soFar.get(key), status, this.#options.clock.now())
    if (soFar === undefined || soFar.count >= ENOUGH) this.#soFar.delete(key)
    else this.#soFar.set(key, soFar)
    if (soFar === undefined || soFar.count < ENOUGH) return undefined
    return patiently(() => this.#pause(destinationId, url, signal), { ...this.#options, signal })
  }

  /** Again as often as someone else changes the destination at the same time. */
  async #pause(destinationId: string, url: string, signal: AbortSignal): Promise<void> {
    const { catalog, clock, logger } = this.#options
    while (!signal.aborted) {
      const destination = catalog.current.destinations.get(destinationId)
      const webhook = destination?.settings.webhooks.find((each) => each.url === url)
      if (destination === undefined || webhook === undefined || webhook.paused) return
      try {
        await catalog.putDestination(withPaused(destination, url, clock.now()))
        logger.warn({ destinationId, host: new URL(url).host }, 'webhook.paused')
        return
      } catch (error) {
        if (!(error instanceof CatalogConflict)) throw error
        await pause(clock, AFTER_CONFLICT_MS, signal)
      }
    }
  }
}

function withPaused(destination: Destination, url: string, now: number): Destination {
  const { settings, version } = destination
  const webhooks = settings.webhooks.map((each) =>
    each.url === url ? { ...each, paused: { since: now, reason: 'gone' as const } } : each,
  )
  return {
    ...destination,
    settings: { ...settings, webhooks },
    updatedAt: now,
    version: version + 1,
  }
}
