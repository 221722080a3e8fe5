import { type CLASSES_WITHOUT_ATTEMPT, HEALTH_LIMITS } from '@hookline/protocol'
import type { ManagementApi } from '../api/management-api.ts'
import { PAUSE_CAUSES } from '../output/deliveries/destination-details.ts'
import { counted, grouped } from '../output/figures.ts'
import {
  ageText,
  breakerText,
  lastHourText,
  type WebhookHealth,
} from '../output/deliveries/health-text.ts'
import type { Finding } from './finding.ts'

export type CheckedDestination = Pick<
  Awaited<ReturnType<ManagementApi['getDestination']>>,
  'id' | 'name' | 'enabled' | 'paused' | 'settings' | 'health' | 'warnings'
>

type CheckedFailures = Pick<
  Awaited<ReturnType<ManagementApi['listFailures']>>['data'][number],
  'destinationId' | 'class' | 'count'
>

/** Outcomes without an attempt, which the other checks miss. */
const WITHOUT_ATTEMPT = new Map<string, string>(
  Object.entries({
    not_attempted: 'expired before the first attempt',
    quarantined: 'quarantined',
  } satisfies Record<keyof typeof CLASSES_WITHOUT_ATTEMPT, string>),
)

const MANY_HELD = 1_000
const MAX_CAUSES = 10

/** The checks in order. `now` is in milliseconds since the epoch. */
export function deliveryChecks(
  destinations: readonly CheckedDestination[],
  failures: readonly CheckedFailures[],
  now: number,
): Readonly<Record<string, Finding>> {
  return {
    breakers: breakers(destinations),
    webhooks: pausedWebhooks(destinations),
    'client certificates': clientCertificates(destinations),
    'retry windows': retryWindows(destinations),
    backlog: backlog(destinations, now),
    'success rate': successRate(destinations),
    held: held(destinations),
    failures: withoutAttempt(destinations, failures),
  }
}

function breakers(destinations: readonly CheckedDestination[]): Finding {
  const broken = destinations
    .filter(({ enabled, paused }) => enabled && paused === null)
    .flatMap((destination) =>
      destination.health.webhooks
        .filter(({ breaker }) => breaker !== 'closed')
        .map((webhook) => ({ destination, webhook })),
    )
  const [first] = broken
  if (first === undefined) return { ok: true, detail: 'all closed' }
  const { id } = first.destination
  const causes = broken.map(
    ({ destination, webhook }) =>
      `${webhook.url} of ${named(destination)}: ${breakerText(webhook)}; ${grouped(webhook.pending)} pending`,
  )
  return {
    ok: false,
    detail: `${counted(causes.length, 'webhook')} with an open breaker`,
    ...shortened(causes),
    next: `\`hookline destinations test ${id}\` shows the receiver's current response; \`hookline destinations close-breaker ${id}\` retries now`,
  }
}

function pausedWebhooks(destinations: readonly CheckedDestination[]): Finding {
  const first = destinations.find(({ settings }) =>
    settings.webhooks.some(({ paused }) => paused !== null),
  )
  const causes = destinations.flatMap((destination) =>
    destination.settings.webhooks.flatMap(({ url, paused }) =>
      paused === null
        ? []
        : `${url} of ${named(destination)}: since ${paused.since}: ${PAUSE_CAUSES[paused.reason]}`,
    ),
  )
  if (first === undefined) return { ok: true, detail: 'none paused' }
  return {
    ok: false,
    detail: `${counted(causes.length, 'webhook')} paused`,
    ...shortened(causes),
    next: `Fix the receiver, the URL or the settings, then \`hookline destinations resume ${first.id}\``,
  }
}

/** The warnings with these codes, and their destinations. */
function warningsWith(destinations: readonly CheckedDestination[], codes: readonly string[]) {
  return destinations.flatMap((destination) =>
    (destination.warnings ?? [])
      .filter(({ code }) => codes.includes(code))
      .map(({ message }) => ({ destination, message })),
  )
}

/** Only a warning: deliveries are still retried. */
function retryWindows(destinations: readonly CheckedDestination[]): Finding {
  const found = warningsWith(destinations, ['retry_window_too_long'])
  const [first] = found
  if (first === undefined) return { ok: true, detail: 'all shorter than retention' }
  const { id } = first.destination
  return {
    ok: true,
    warning: true,
    detail: `${counted(found.length, 'webhook')} with a retry window that is too long`,
    ...shortened(found.map(({ destination, message }) => `${named(destination)}: ${message}`)),
    next: `Set a shorter one with \`hookline destinations update ${id} --retry-window <time>\`, or increase the \`retention\` setting`,
  }
}

/** Only a warning: receivers decide about an expired certificate, and a failed delivery is reported by other checks. */
function clientCertificates(destinations: readonly CheckedDestination[]): Finding {
  const found = warningsWith(destinations, ['certificate_expired', 'certificate_expires'])
  const [first] = found
  if (first === undefined) return { ok: true, detail: 'none expires within 30 days' }
  const { id } = first.destination
  return {
    ok: true,
    warning: true,
    detail: `${counted(found.length, 'client certificate')} expired, or about to expire`,
    ...shortened(found.map(({ destination, message }) => `${named(destination)}: ${message}`)),
    next: `\`hookline destinations get ${id}\` shows it; set a new one in the console, or with \`hookline destinations update ${id}\``,
  }
}

function backlog(destinations: readonly CheckedDestination[], now: number): Finding {
  const webhooks = destinations.flatMap((destination) =>
    destination.health.webhooks.map((webhook) => pendingOf(destination, webhook, now)),
  )
  const causes = webhooks.flatMap(({ cause }) => cause ?? [])
  const pending = `${deliveries(sum(webhooks.map((each) => each.pending)))} pending`
  const old = webhooks.find(({ isOld }) => isOld)
  if (old === undefined)
    return { ok: true, detail: pending, ...(causes.length > 0 && shortened(causes)) }
  return {
    ok: false,
    detail: `${pending}, some of them for longer than ${HEALTH_LIMITS.maxWaitMs / 60_000} min`,
    ...shortened(causes),
    next: `\`hookline deliveries list --destination ${old.destinationId} --waiting\` lists them; \`hookline deliveries get\` shows why one is pending`,
  }
}

interface Pending {
  readonly destinationId: string
  readonly pending: number
  readonly isOld: boolean
  /** Absent if the deliveries have merely been queued for a short time. */
  readonly cause?: string
}

function pendingOf(destination: CheckedDestination, webhook: WebhookHealth, now: number): Pending {
  const { url, oldestPendingAt, pending } = webhook
  const { id: destinationId } = destination
  if (oldestPendingAt === null) return { destinationId, pending, isOld: false }
  const isOld = Date.parse(oldestPendingAt) < now - HEALTH_LIMITS.maxWaitMs
  const block = blockText(destination, webhook)
  if (!isOld && block === '') return { destinationId, pending, isOld }
  const since = `since ${oldestPendingAt} (${ageText(oldestPendingAt, now)})`
  const cause = `${url} of ${named(destination)}: ${grouped(pending)} pending, the oldest ${since}`
  return { destinationId, pending, isOld, cause: cause + block }
}

/** Why nothing is attempted, unless another check reports it. */
function blockText({ enabled }: CheckedDestination, { retryAfterUntil }: WebhookHealth): string {
  if (!enabled) return '; the destination is disabled'
  if (retryAfterUntil === null) return ''
  return `; no access token, or the receiver sent Retry-After, next attempt ${retryAfterUntil}`
}

function successRate(destinations: readonly CheckedDestination[]): Finding {
  const lastHour = lastHourOf(destinations)
  const low = destinations.filter(({ health }) => isLow(health.lastHour))
  const failing =
    isLow(lastHour) && enough(lastHour) ? low : low.filter(({ health }) => enough(health.lastHour))
  const all = `last hour: ${lastHourText({ lastHour })}`
  if (failing.length === 0) {
    const isUnclear = isLow(lastHour) && !enough(lastHour)
    return { ok: true, detail: isUnclear ? `${all}; too few attempts for a verdict` : all }
  }
  const causes = failing.map((each) => `${named(each)}: ${lastHourText(each.health)}`)
  const of = failing.length === 1 ? ` --destination ${failing[0]!.id}` : ''
  return {
    ok: false,
    detail: `${all}; ${counted(causes.length, 'destination')} below ${HEALTH_LIMITS.minSuccessRate * 100}%`,
    ...shortened(causes),
    next: `\`hookline deliveries failures${of}\` shows causes and remedies`,
  }
}

type LastHour = Omit<CheckedDestination['health']['lastHour'], 'lastFailedAt'>

/** The last hour of all destinations together: each may have too few attempts to judge. */
function lastHourOf(destinations: readonly CheckedDestination[]): LastHour {
  const attempts = sum(destinations.map(({ health }) => health.lastHour.attempts))
  const delivered = sum(destinations.map(({ health }) => health.lastHour.delivered))
  return { attempts, delivered, successRate: attempts === 0 ? null : delivered / attempts }
}

function isLow({ successRate: rate }: LastHour): boolean {
  return rate !== null && rate < HEALTH_LIMITS.minSuccessRate
}

function enough({ attempts }: LastHour): boolean {
  return attempts >= HEALTH_LIMITS.minAttempts
}

function held(destinations: readonly CheckedDestination[]): Finding {
  const detail = `${deliveries(sum(destinations.map(heldIn)))} held`
  const holding = destinations.filter((each) => heldIn(each) > 0)
  const [first] = holding
  if (first === undefined) return { ok: true, detail }
  const isMany = holding.some((each) => heldIn(each) >= MANY_HELD)
  return {
    ok: true,
    ...(isMany && { warning: true }),
    detail,
    ...shortened(holding.map((each) => `${named(each)}: ${heldText(each)}`)),
    next: `\`hookline destinations resume ${first.id}\` sends them`,
  }
}

/** Only a warning: the cause may have been fixed since. */
function withoutAttempt(
  destinations: readonly CheckedDestination[],
  failures: readonly CheckedFailures[],
): Finding {
  const ended = destinations.flatMap((destination) =>
    failures
      .filter(({ destinationId }) => destinationId === destination.id)
      .filter((each) => WITHOUT_ATTEMPT.has(each.class))
      .map((each) => ({ ...each, destination })),
  )
  const [first] = ended
  if (first === undefined)
    return { ok: true, detail: 'none quarantined, none expired before the first attempt' }
  return {
    ok: true,
    warning: true,
    detail: `${deliveries(sum(ended.map(({ count }) => count)))} quarantined, or expired before the first attempt`,
    ...shortened(
      ended.map(
        (each) =>
          `${named(each.destination)}: ${grouped(each.count)} ${WITHOUT_ATTEMPT.get(each.class)}`,
      ),
    ),
    next: `\`hookline deliveries failures --destination ${first.destination.id}\` shows the remedy`,
  }
}

/** Counted per webhook: with policy `any`, a delivery can be delivered and still be held for another webhook. */
function heldIn({ health }: CheckedDestination): number {
  return sum(health.webhooks.map((each) => each.held))
}

function heldText(destination: CheckedDestination): string {
  const { paused } = destination
  const since = paused === null ? 'a webhook is paused' : `paused since ${paused.since}`
  return `${grouped(heldIn(destination))} held, ${since}`
}

function named({ id, name }: CheckedDestination): string {
  return `${name} (${id})`
}

function shortened(causes: readonly string[]): Pick<Finding, 'causes'> {
  const more = causes.length - MAX_CAUSES
  const rest = more > 0 ? [`and ${more} more`] : []
  return { causes: [...causes.slice(0, MAX_CAUSES), ...rest] }
}

function deliveries(count: number): string {
  return counted(count, 'delivery', 'deliveries')
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, each) => total + each, 0)
}
