import type { Attempt, Destination, WebhookState } from '@hookline/protocol'
import { LRUCache } from 'lru-cache'
import { laneKey } from '../../backend/deliveries.ts'
import type { Clock } from '../../util/time/clock.ts'
import { AttemptSpacing } from '../lanes/attempt-spacing.ts'
import {
  type Breaker,
  CLOSED,
  onAttempt,
  onNoSample,
  onResult,
  onReport,
  earliestAttemptAt,
  type BreakerReport,
  reportOf,
} from './breaker.ts'
import {
  type AcceptedCount,
  countAccepted,
  NONE_ACCEPTED,
  onPacedBegin,
  onPacedResult,
  onPacedWritten,
  type Pace,
  paceSampleOf,
} from './pace.ts'

interface Health {
  readonly breaker: Breaker
  readonly retryAfterUntil: number
  readonly pace: Pace | undefined
  readonly accepted: AcceptedCount
  /**
   * Incremented by each probe, and by a close that is manual or comes from another node. The
   * breaker ignores results of an earlier generation.
   */
  readonly generation: number
}

const HEALTHY: Health = {
  breaker: CLOSED,
  retryAfterUntil: 0,
  pace: undefined,
  accepted: NONE_ACCEPTED,
  generation: 0,
}

/** A message to other nodes. `breaker` is `null` if the webhook works again. */
export interface BreakerChange {
  readonly destinationId: string
  readonly url: string
  readonly breaker: BreakerReport | null
}

/** A message to other nodes: a receiver requested a pause. */
export interface PauseChange {
  readonly destinationId: string
  readonly url: string
  /** A duration, because clocks differ. */
  readonly pauseMs: number
}

type EndedAttempt = Omit<Attempt, 'id' | 'number' | 'startedAt'> & {
  readonly retryAfterMs?: number | undefined
}

/** Smaller extensions of a pause are not published. */
const MIN_PUBLISHED_EXTENSION_MS = 1_000
/** Tasks of a paced lane stay in memory during a shorter pause. */
const SHORT_PAUSE_MS = 5_000

/** Beyond this, the least recently used webhooks are evicted. */
const MAX_WEBHOOKS = 10_000

/** Breakers, requested pauses and learned paces of webhooks. In memory only, so empty after a restart. */
export class WebhookHealth {
  readonly #clock: Clock
  readonly #maxOpenMs: number | undefined
  readonly #byKey = new LRUCache<string, Health>({ max: MAX_WEBHOOKS })
  readonly spacing: AttemptSpacing
  /** Called when a breaker opens or closes, or a probe fails. */
  onChange: (change: BreakerChange) => void = () => undefined
  onPause: (change: PauseChange) => void = () => undefined

  /** @param options.maxOpenMs maximum open time of a breaker; defaults to 5 min */
  constructor(clock: Clock, options: { readonly maxOpenMs?: number | undefined } = {}) {
    this.#clock = clock
    this.spacing = new AttemptSpacing(clock)
    this.#maxOpenMs = options.maxOpenMs
  }

  /** The time of the earliest next attempt, in milliseconds since the epoch; 0 for any time. */
  blockedUntil(destinationId: string, url: string): number {
    const { breaker, retryAfterUntil } = this.#of(destinationId, url)
    return Math.max(earliestAttemptAt(breaker), retryAfterUntil)
  }

  /** When the breaker's open time ends; 0 if the breaker is closed or half-open. */
  openUntil(destinationId: string, url: string): number {
    const { breaker } = this.#of(destinationId, url)
    return breaker.state === 'open' ? breaker.until : 0
  }

  brokenSince(destinationId: string, url: string): number | undefined {
    const { breaker } = this.#of(destinationId, url)
    return breaker.state === 'closed' ? undefined : breaker.since
  }

  /**
   * The time of the last failed probe, or of the failure that opened the breaker; `undefined` if it
   * is closed.
   */
  lastFailureAt(destinationId: string, url: string): number | undefined {
    const { breaker } = this.#of(destinationId, url)
    return breaker.state === 'closed' ? undefined : breaker.failedAt
  }

  /** When the receiver's last `Retry-After` ends; 0 for none. */
  retryAfterUntil(destinationId: string, url: string): number {
    return this.#of(destinationId, url).retryAfterUntil
  }

  /**
   * When the pace allows the next attempt; 0 if not paced. Ignores breakers, and pauses longer than
   * `SHORT_PAUSE_MS`.
   */
  nextAttemptAt(destinationId: string, url: string): number {
    const { pace, retryAfterUntil } = this.#of(destinationId, url)
    if (pace === undefined) return 0
    const isShort = retryAfterUntil - this.#clock.now() <= SHORT_PAUSE_MS
    return isShort ? Math.max(pace.nextAt, retryAfterUntil) : pace.nextAt
  }

  /** The learned pace; `undefined` for no limit. */
  pacePerSecond(destinationId: string, url: string): number | undefined {
    return this.#of(destinationId, url).pace?.perSecond
  }

  openBreakers(destinations: Iterable<Destination>): number {
    let open = 0
    for (const { id, settings } of destinations)
      for (const { url } of settings.webhooks) if (this.brokenSince(id, url) !== undefined) open++
    return open
  }

  /** A manual retry overrides the breaker and Retry-After. An open breaker stays open: the attempt is its probe. */
  retryNow(destinationId: string, url: string): void {
    const health = this.#of(destinationId, url)
    const { breaker, pace } = health
    const isOpen = breaker.state === 'open'
    const now = this.#clock.now()
    this.#set(destinationId, url, {
      ...health,
      breaker: isOpen ? { ...breaker, until: now } : breaker,
      pace: pace && { ...pace, nextAt: now },
      retryAfterUntil: 0,
    })
  }

  close(destinationId: string, url: string): void {
    const { generation } = this.#of(destinationId, url)
    this.#set(destinationId, url, { ...HEALTHY, generation: generation + 1 })
  }

  open(): readonly BreakerChange[] {
    const now = this.#clock.now()
    return [...this.#byKey].flatMap(([key, { breaker }]) => {
      if (breaker.state !== 'open') return []
      const [destinationId = '', url = ''] = key.split(' ')
      return [{ destinationId, url, breaker: reportOf(breaker, now) }]
    })
  }

  /** Applies a change from another node. Returns whether that closed the breaker. */
  applyBreaker({ destinationId, url, breaker: report }: BreakerChange): boolean {
    const health = this.#of(destinationId, url)
    const { breaker, generation } = health
    if (report !== null) {
      const now = this.#clock.now()
      this.#set(destinationId, url, {
        ...health,
        breaker: onReport(breaker, report, now),
        pace: undefined,
      })
      return false
    }
    if (breaker.state === 'closed') return false
    // A probe in progress is outdated: the other node has a result.
    this.#set(destinationId, url, { ...health, breaker: CLOSED, generation: generation + 1 })
    return true
  }

  pauses(): readonly PauseChange[] {
    const now = this.#clock.now()
    return [...this.#byKey].flatMap(([key, { retryAfterUntil }]) => {
      const [destinationId = '', url = ''] = key.split(' ')
      return retryAfterUntil > now ? [{ destinationId, url, pauseMs: retryAfterUntil - now }] : []
    })
  }

  applyPause({ destinationId, url, pauseMs }: PauseChange): void {
    const health = this.#of(destinationId, url)
    const retryAfterUntil = Math.max(health.retryAfterUntil, this.#clock.now() + pauseMs)
    this.#set(destinationId, url, { ...health, retryAfterUntil })
  }

  /** The current generation, for an attempt that fails while it waits for a token, before `onAttempt`. */
  generationOf(destinationId: string, url: string): number {
    return this.#of(destinationId, url).generation
  }

  /** Records the start of an attempt. Returns the generation for its result. */
  onAttempt(destinationId: string, url: string): number {
    const health = this.#of(destinationId, url)
    const now = this.#clock.now()
    const breaker = onAttempt(health.breaker, now)
    const pace = health.pace && onPacedBegin(health.pace, now)
    const generation = health.generation + (health.breaker.state === 'open' ? 1 : 0)
    if (breaker !== health.breaker || pace !== health.pace)
      this.#set(destinationId, url, { ...health, breaker, pace, generation })
    return generation
  }

  /** Records that an attempt ended without a result. If it was a probe, the next one may begin. */
  onAborted(destinationId: string, url: string, generation: number): void {
    const health = this.#of(destinationId, url)
    const breaker = onNoSample(health.breaker, this.#clock.now())
    if (generation !== health.generation || breaker === health.breaker) return
    this.#set(destinationId, url, { ...health, breaker })
  }

  onWritten(destinationId: string, url: string, begunAt: number): void {
    const health = this.#of(destinationId, url)
    const pace = health.pace && onPacedWritten(health.pace, begunAt, this.#clock.now())
    if (pace !== health.pace) this.#set(destinationId, url, { ...health, pace })
  }

  /** Returns whether the attempt opened or closed the breaker; a failed probe does neither. */
  onResult(
    destinationId: string,
    attempt: EndedAttempt,
    { generation, now }: { readonly generation: number; readonly now: number },
  ): 'opened' | 'closed' | undefined {
    const { url, retryAfterMs = 0 } = attempt
    const before = this.#of(destinationId, url)
    const at = { now, random: Math.random(), maxOpenMs: this.#maxOpenMs }
    const isCurrent = generation === before.generation
    const breaker = isCurrent ? onResult(before.breaker, attempt, at) : before.breaker
    const retryAfterUntil =
      retryAfterMs > 0
        ? Math.max(before.retryAfterUntil, now + retryAfterMs)
        : before.retryAfterUntil
    const paced = withResult(before, attempt, now)
    // A broken webhook has no pace, so that it gets the whole backlog when it works again.
    const pace = breaker.state === 'open' ? undefined : paced.pace
    this.#set(destinationId, url, { ...before, ...paced, pace, breaker, retryAfterUntil })
    if (breaker !== before.breaker) this.#publish(destinationId, url, breaker, before.breaker)
    if (retryAfterUntil - Math.max(before.retryAfterUntil, now) >= MIN_PUBLISHED_EXTENSION_MS)
      this.onPause({ destinationId, url, pauseMs: retryAfterUntil - this.#clock.now() })
    if (breaker.state === 'open' && before.breaker.state === 'closed') return 'opened'
    return breaker.state === 'closed' && before.breaker.state !== 'closed' ? 'closed' : undefined
  }

  #publish(destinationId: string, url: string, breaker: Breaker, before: Breaker): void {
    if (breaker.state === 'open')
      this.onChange({ destinationId, url, breaker: reportOf(breaker, this.#clock.now()) })
    else if (before.state !== 'closed' && breaker.state === 'closed')
      this.onChange({ destinationId, url, breaker: null })
  }

  #of(destinationId: string, url: string): Health {
    return this.#byKey.get(laneKey({ destinationId, url })) ?? HEALTHY
  }

  #set(destinationId: string, url: string, health: Health): void {
    this.#byKey.set(laneKey({ destinationId, url }), health)
  }
}

export function webhookStates(
  { id, settings }: Destination,
  health: WebhookHealth,
  now: number,
): WebhookState[] {
  return settings.webhooks.map(({ url }) => {
    const brokenSince = health.brokenSince(id, url) ?? null
    const openUntil = health.openUntil(id, url)
    const isOpen = openUntil > now
    const breaker = brokenSince === null ? 'closed' : isOpen ? 'open' : 'half_open'
    const retryAfterUntil = health.retryAfterUntil(id, url)
    return {
      url,
      breaker,
      brokenSince,
      openUntil: isOpen ? openUntil : null,
      retryAfterUntil: retryAfterUntil > now ? retryAfterUntil : null,
      pacePerSecond: health.pacePerSecond(id, url) ?? null,
    }
  })
}

function withResult(
  { pace, accepted }: Health,
  attempt: EndedAttempt,
  now: number,
): Pick<Health, 'pace' | 'accepted'> {
  const sample = paceSampleOf(attempt)
  if (sample === undefined) return { pace, accepted }
  const begunAt = now - attempt.durationMs - (attempt.timing?.transferMs ?? 0)
  const paced = { sample, begunAt, now, pauseMs: attempt.retryAfterMs ?? 0 }
  return {
    pace: onPacedResult(pace, paced, accepted),
    accepted: sample === 'accepted' ? countAccepted(accepted, now) : accepted,
  }
}
