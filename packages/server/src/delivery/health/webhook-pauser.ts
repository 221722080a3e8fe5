import { laneKey } from '../../backend/deliveries.ts'
import type { Attempt, Destination, Pause } from '@hookline/protocol'
import { LRUCache } from 'lru-cache'
import type { Logger } from '../../telemetry/logger.ts'
import { fieldsOf } from '../../telemetry/names.ts'
import { CatalogConflictError, type FollowedCatalog } from '../../backend/catalog.ts'
import type { Clock } from '../../util/time/clock.ts'
import { sleep } from '../../util/time/sleep.ts'
import { isForbidden } from '../sending/outcome.ts'
import { retryWhileUnavailable } from '../records/retry-while-unavailable.ts'

/** Consecutive 410 responses from a webhook, at least a minute apart. */
export interface GoneCount {
  readonly count: number
  readonly lastAt: number
}

const GONE = 410
const GONE_LIMIT = 3
const MIN_INTERVAL_MS = 60_000
const MAX_WEBHOOKS = 10_000
/** The delay before a retry after a conflict; by then, this node has the other change. */
const AFTER_CONFLICT_MS = 1_000

/** The count after an attempt. An attempt without a response does not change it. */
export function countGone(
  before: GoneCount | undefined,
  status: number | undefined,
  now: number,
): GoneCount | undefined {
  if (status === undefined) return before
  if (status !== GONE) return undefined
  if (before === undefined) return { count: 1, lastAt: now }
  return now - before.lastAt < MIN_INTERVAL_MS ? before : { count: before.count + 1, lastAt: now }
}

export interface WebhookPauserOptions {
  readonly catalog: FollowedCatalog
  readonly clock: Clock
  readonly logger: Logger
}

interface EndedAttempt {
  readonly attempt: Pick<Attempt, 'url' | 'status' | 'class'>
  /** Whether the response disables the webhook. */
  readonly isDisabled: boolean
}

/**
 * Pauses a webhook that cannot receive anything until someone fixes its settings or its receiver:
 * - `webhook_gone`: three 410 responses in a row, at least a minute apart;
 * - `url_forbidden`: its address or port is forbidden, so no connection is made;
 * - `disabled_by_receiver`: a response had the header `webhook-delivery: disable`.
 */
export class WebhookPauser {
  readonly #options: WebhookPauserOptions
  readonly #counts = new LRUCache<string, GoneCount>({ max: MAX_WEBHOOKS })

  constructor(options: WebhookPauserOptions) {
    this.#options = options
  }

  /** If it pauses the webhook, returns a promise that resolves once the catalog contains the pause. */
  onResult(
    destinationId: string,
    ended: EndedAttempt,
    signal: AbortSignal,
  ): Promise<unknown> | undefined {
    const reason = this.#reason(destinationId, ended)
    if (reason === undefined) return undefined
    const pausing = (): Promise<void> =>
      this.#pause(destinationId, ended.attempt.url, reason, signal)
    return retryWhileUnavailable(pausing, { ...this.#options, signal })
  }

  #reason(
    destinationId: string,
    { attempt: { url, status, class: kind }, isDisabled }: EndedAttempt,
  ): Pause['reason'] | undefined {
    if (isDisabled) return 'disabled_by_receiver'
    if (isForbidden(kind)) return 'url_forbidden'
    // Fast path for nearly every attempt: no 410, and no webhook has a count.
    if (status !== GONE && this.#counts.size === 0) return undefined
    const key = laneKey({ destinationId, url })
    const goneCount = countGone(this.#counts.get(key), status, this.#options.clock.now())
    if (goneCount === undefined || goneCount.count >= GONE_LIMIT) this.#counts.delete(key)
    else this.#counts.set(key, goneCount)
    return goneCount !== undefined && goneCount.count >= GONE_LIMIT ? 'webhook_gone' : undefined
  }

  /** Retries if the destination was changed concurrently. */
  async #pause(
    destinationId: string,
    url: string,
    reason: Pause['reason'],
    signal: AbortSignal,
  ): Promise<void> {
    const { catalog, clock, logger } = this.#options
    while (!signal.aborted) {
      const destination = catalog.current.destinations.get(destinationId)
      const webhook = destination?.settings.webhooks.find((each) => each.url === url)
      if (destination === undefined || webhook === undefined || webhook.paused) return
      try {
        await catalog.putDestination(withPaused(destination, url, { since: clock.wall(), reason }))
        logger.warn({ ...fieldsOf(destinationId, url, catalog.current), reason }, 'webhook.paused')
        return
      } catch (error) {
        if (!(error instanceof CatalogConflictError)) throw error
        await sleep(clock, AFTER_CONFLICT_MS, signal)
      }
    }
  }
}

function withPaused(destination: Destination, url: string, paused: Pause): Destination {
  const { settings, version } = destination
  const webhooks = settings.webhooks.map((each) => (each.url === url ? { ...each, paused } : each))
  return {
    ...destination,
    settings: { ...settings, webhooks },
    updatedAt: paused.since,
    version: version + 1,
  }
}

/** Resumes webhooks with forbidden URLs at startup, because the settings may have changed. The next attempt decides. */
export async function resumeForbidden(catalog: FollowedCatalog, clock: Clock): Promise<void> {
  for (const destination of catalog.current.destinations.values()) {
    const { settings, version } = destination
    if (!settings.webhooks.some(({ paused }) => paused?.reason === 'url_forbidden')) continue
    const webhooks = settings.webhooks.map(({ paused, ...webhook }) =>
      paused === undefined || paused.reason === 'url_forbidden' ? webhook : { ...webhook, paused },
    )
    const changed = { ...destination, settings: { ...settings, webhooks } }
    await catalog.putDestination({ ...changed, updatedAt: clock.wall(), version: version + 1 })
  }
}
