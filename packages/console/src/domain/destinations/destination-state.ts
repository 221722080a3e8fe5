import type { Destination } from '@hookline/cli/management-client'
import type { Tone } from '../../design/state-badge.tsx'
import { countText, wholeNumber } from '../../format/figures.ts'
import type { Problem } from '../problems.ts'
import type { Health, WebhookHealth } from './destination-query.ts'

export interface DestinationState {
  readonly tone: Tone
  readonly words: string
  readonly why?: string
  /** ISO 8601. */
  readonly since?: string
  /** Whether the state is caused by failed attempts. */
  readonly isFailing?: boolean
}

export type Pause = NonNullable<Destination['paused']>

export const PAUSE_CAUSES: Readonly<Record<Pause['reason'], string>> = {
  operator: 'Paused manually.',
  webhook_gone: 'The receiver responded with 410 three times in a row.',
  disabled_by_receiver: 'The receiver responded with the header webhook-delivery: disable.',
  url_forbidden: 'The allowedNetworks and allowedPorts settings do not allow the address or port.',
}

const HEALTHY_SUCCESS_RATE = 0.95
/** How long after its last failed attempt a destination counts as recovered. */
const RECOVERED_AFTER_MS = 5 * 60_000

/** The most severe state. Without `health`, attempts are ignored. The alert conditions decide whether the destination is failing. */
export function destinationState(
  { enabled, enabledChangedAt, paused, settings }: Destination,
  health?: Health,
  problem?: Problem,
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
  const causes = problem?.causes ?? []
  if (health !== undefined) return healthState(health, causes, now)
  const condition = worstCondition(causes)
  return condition === undefined ? { tone: 'waiting', words: 'enabled' } : badgeOf(condition)
}

type Cause = Problem['causes'][number]

function healthState(
  { webhooks, lastHour }: Health,
  causes: readonly Cause[],
  now: number,
): DestinationState {
  const broken = webhooks.find(({ breaker }) => breaker !== 'closed')
  if (broken !== undefined) {
    const since = broken.brokenSince === null ? {} : { since: broken.brokenSince }
    return {
      ...BREAKERS[broken.breaker],
      why: 'Too many attempts failed.',
      ...since,
      isFailing: true,
    }
  }
  const { attempts, delivered, successRate, lastFailedAt } = lastHour
  const why = `${wholeNumber(attempts - delivered)} of ${countText(attempts, 'attempt')} failed in the last hour`
  const condition = worstCondition(causes)
  if (condition !== undefined) {
    const isFailing = ATTEMPT_CONDITIONS.has(condition.condition) && delivered < attempts
    return { ...badgeOf(condition), ...(isFailing && { why: `${why}.`, isFailing }) }
  }
  if (successRate === null) return { tone: 'waiting', words: 'enabled' }
  if (successRate >= HEALTHY_SUCCESS_RATE) return { tone: 'delivered', words: 'working' }
  if (lastFailedAt !== null && Date.parse(lastFailedAt) < now - RECOVERED_AFTER_MS)
    return {
      tone: 'delivered',
      words: 'recovered',
      why: `${why}, the most recent one`,
      since: lastFailedAt,
    }
  return { tone: 'retrying', words: 'partially failing', why: `${why}.`, isFailing: true }
}

type BadgeState = Pick<DestinationState, 'tone' | 'words'>

const BREAKERS: Readonly<Record<WebhookHealth['breaker'], BadgeState>> = {
  closed: { tone: 'delivered', words: 'active' },
  open: { tone: 'failed', words: 'breaker open' },
  half_open: { tone: 'failed', words: 'breaker half-open' },
}

/** The conditions caused by failed attempts. */
const ATTEMPT_CONDITIONS: ReadonlySet<string> = new Set<Cause['condition']>([
  'webhook_failing',
  'deliveries_rejected',
])

const LABELS: Readonly<Record<Cause['condition'], string>> = {
  calls_refused: 'calls refused',
  deliveries_expired: 'deliveries expired',
  deliveries_rejected: 'deliveries rejected',
  damage_found: 'corruption found',
  quarantine: 'quarantined',
  check_failed: 'check failed',
  disk_low: 'disk almost full',
  deliveries_expiring: 'deliveries expire soon',
  webhook_failing: 'webhook failing',
  deliveries_late: 'deliveries delayed',
  webhook_paused: 'webhook paused',
  write_key_unknown: 'unknown write key',
  rate_limit_exceeded: 'rate limit exceeded',
  sync_missed: 'changes missed',
  node_lost: 'node lost',
  certificate_expiring: 'certificate expires soon',
  retry_window_too_long: 'retry window too long',
  backup_old: 'backup too old',
  destinations_skipped: 'not checked',
  check_warning: 'check warning',
  deliveries_held: 'deliveries held',
  receiver_throttles: 'throttled by receiver',
  ids_unlinked: 'IDs not linked',
}

/** Current failures come before data loss, unlike in the list of problems. */
function worstCondition(causes: readonly Cause[]): Cause | undefined {
  return causes.find(({ severity }) => severity === 'failing') ?? causes[0]
}

function badgeOf({ condition, severity }: Cause): BadgeState {
  const tone = severity === 'attention' ? 'retrying' : 'failed'
  return { tone, words: LABELS[condition] }
}

/** The state of one of a destination's webhooks. */
export function webhookState(
  { url, breaker }: Pick<WebhookHealth, 'url' | 'breaker'>,
  { enabled, paused, settings }: Pick<Destination, 'enabled' | 'paused' | 'settings'>,
  problem: Problem | undefined,
): BadgeState {
  if (!enabled) return { tone: 'held', words: 'disabled' }
  const { webhooks } = settings
  const pause = paused ?? webhooks.find((each) => each.url === url)?.paused
  if (pause != null) return { tone: 'held', words: 'paused' }
  if (breaker !== 'closed') return BREAKERS[breaker]
  const { causes = [] } = problem ?? {}
  const isOnly = webhooks.length === 1
  const own = worstCondition(causes.filter((each) => each.url === url || (isOnly && !each.url)))
  if (own !== undefined) return badgeOf(own)
  // Attempts are counted for all webhooks together: one of several may work.
  const isUnknown = causes.some(({ severity }) => severity === 'failing')
  return isUnknown ? { tone: 'waiting', words: 'active' } : BREAKERS.closed
}
