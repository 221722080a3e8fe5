import type { Destination } from '@hookline/cli/management-client'
import type { Tone } from '../../design/state-badge.tsx'
import { wholeNumber } from '../../format/figures.ts'
import type { Health } from './destination-query.ts'

export interface DestinationState {
  readonly tone: Tone
  readonly words: string
  readonly why?: string
  /** ISO 8601. */
  readonly since?: string
}

export type Pause = NonNullable<Destination['paused']>

export const PAUSE_CAUSES: Readonly<Record<Pause['reason'], string>> = {
  operator: 'Paused manually.',
  webhook_gone: 'The receiver responded with 410 three times in a row.',
  disabled_by_receiver: 'The receiver responded with webhook-delivery: disable.',
  url_forbidden: 'Its address or port is not allowed by allowedNetworks or allowedPorts.',
}

const HEALTHY_SUCCESS_RATE = 0.95
/** The time after the last failed attempt until a destination counts as recovered. */
const RECOVERED_AFTER_MS = 5 * 60_000

/** The most severe state that applies. Without `health`, only the settings count. */
export function destinationState(
  { enabled, enabledChangedAt, paused, settings }: Destination,
  health?: Health,
  now = Date.now(),
): DestinationState {
  if (!enabled) {
    const since = enabledChangedAt === null ? {} : { since: enabledChangedAt }
    return { tone: 'held', words: 'disabled', why: 'New events are not delivered.', ...since }
  }
  const pauses = settings.webhooks.flatMap((webhook) => webhook.paused ?? [])
  const pause = paused ?? pauses[0]
  if (pause !== undefined) {
    const isWhole = paused !== null || pauses.length === settings.webhooks.length
    return {
      tone: 'held',
      words: isWhole ? 'paused' : 'partially paused',
      why: PAUSE_CAUSES[pause.reason],
      since: pause.since,
    }
  }
  return health === undefined ? { tone: 'waiting', words: 'enabled' } : healthState(health, now)
}

function healthState({ webhooks, lastHour }: Health, now: number): DestinationState {
  const broken = webhooks.find(({ breaker }) => breaker !== 'closed')
  if (broken !== undefined) {
    const since = broken.brokenSince === null ? {} : { since: broken.brokenSince }
    return { tone: 'failed', words: 'breaker open', why: 'Too many attempts failed.', ...since }
  }
  const { attempts, delivered, successRate, lastFailedAt } = lastHour
  if (successRate === null) return { tone: 'waiting', words: 'enabled' }
  if (successRate >= HEALTHY_SUCCESS_RATE) return { tone: 'delivered', words: 'working' }
  if (delivered === 0)
    return { tone: 'failed', words: 'failing', why: 'Every attempt in the last hour failed.' }
  const why = `${wholeNumber(attempts - delivered)} of ${wholeNumber(attempts)} attempts failed in the last hour`
  if (lastFailedAt !== null && Date.parse(lastFailedAt) < now - RECOVERED_AFTER_MS)
    return { tone: 'delivered', words: 'recovered', why: `${why}, last`, since: lastFailedAt }
  return { tone: 'retrying', words: 'partially failing', why: `${why}.` }
}
