import type { Destination } from '@hookline/cli/management-client'
import type { Tone } from '../../design/state-badge.tsx'
import { wholeNumber } from '../../format/figures.ts'
import type { Health } from './destination-query.ts'

/** How a destination does, in a word and a sentence. */
export interface DestinationState {
  readonly tone: Tone
  readonly words: string
  /** Why it is not simply working. */
  readonly why?: string
  /** Since when, as ISO 8601. */
  readonly since?: string
}

type Pause = NonNullable<Destination['paused']>

/** Why a webhook or a destination is paused. */
export const PAUSE_CAUSES: Readonly<Record<Pause['reason'], string>> = {
  operator: 'A person paused it.',
  gone: 'Its receiver responded with 410 Gone three times in a row.',
  forbidden: 'The settings allowedNetworks and allowedPorts forbid its address or port.',
}

/** Below this share of attempts that were delivered, some of them fail too often to call it working. */
const WORKING_SHARE = 0.95

/** Whether so many attempts of the last hour failed that the destination is not simply working. */
function isOftenRefused({ successRate }: Pick<Health['lastHour'], 'successRate'>): boolean {
  return successRate !== null && successRate < WORKING_SHARE
}

/** How the destination does: what stops everything first, then what stops a part. Without its health, as far as its settings tell. */
export function destinationState(
  { enabled, enabledChangedAt, paused, settings }: Destination,
  health?: Health,
  now = Date.now(),
): DestinationState {
  if (!enabled) {
    const since = enabledChangedAt === null ? {} : { since: enabledChangedAt }
    return { tone: 'held', words: 'disabled', why: 'New events are not delivered.', ...since }
  }
  if (paused !== null) return pausedState('paused', paused)
  const pauses = settings.webhooks.flatMap((webhook) => webhook.paused ?? [])
  const [pause] = pauses
  if (pause !== undefined) {
    const isAll = pauses.length === settings.webhooks.length
    return pausedState(isAll ? 'paused' : 'partly paused', pause)
  }
  return health === undefined ? { tone: 'waiting', words: 'enabled' } : healthState(health, now)
}

function pausedState(words: string, { reason, since }: Pause): DestinationState {
  return { tone: 'held', words, why: PAUSE_CAUSES[reason], since }
}

/** How long after its last failed attempt a destination counts as working again. */
const RECOVERED_AFTER_MS = 5 * 60_000

function healthState({ webhooks, lastHour }: Health, now: number): DestinationState {
  const broken = webhooks.find(({ breaker }) => breaker !== 'closed')
  if (broken !== undefined) {
    const since = broken.brokenSince === null ? {} : { since: broken.brokenSince }
    return { tone: 'failed', words: 'breaker open', why: 'Too many attempts failed.', ...since }
  }
  const { attempts, delivered, successRate, lastFailedAt } = lastHour
  if (successRate === null) return { tone: 'waiting', words: 'enabled' }
  if (delivered === 0)
    return { tone: 'failed', words: 'failing', why: 'No attempt of the last hour was accepted.' }
  if (isOftenRefused(lastHour)) {
    const why = `${wholeNumber(attempts - delivered)} of ${wholeNumber(attempts)} attempts of the last hour failed`
    if (lastFailedAt !== null && Date.parse(lastFailedAt) < now - RECOVERED_AFTER_MS)
      return {
        tone: 'delivered',
        words: 'working again',
        why: `${why}, the last one`,
        since: lastFailedAt,
      }
    return { tone: 'retrying', words: 'failing in part', why: `${why}.` }
  }
  return { tone: 'delivered', words: 'working' }
}
