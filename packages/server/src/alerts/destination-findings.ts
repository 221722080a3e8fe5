import {
  CLASSES_WITHOUT_ATTEMPT,
  DELIVERY_CLASSES,
  remedyOf,
  type DeliveryClass,
  type Destination,
  formatTimestamp,
  type JsonObject,
  type Pause,
} from '@hookline/protocol'
import { STATUS_CODES } from 'node:http'
import type { FailureGroup } from '../backend/deliveries.ts'
import { labelOf, webhookName } from '../telemetry/names.ts'
import { countText, formatCount } from '../util/count-text.ts'
import { type ConditionName, CONDITIONS, THRESHOLDS } from './conditions.ts'
import type { DestinationFacts, WebhookFacts } from './facts.ts'
import { duration, type Finding, finding } from './findings.ts'
import type { DestinationResults } from './recent-results.ts'

/** All findings about a destination and its webhooks. */
export function destinationFindings(facts: DestinationFacts, now: number): Finding[] {
  const { destination, expired, rejected, certificates, longRetryWindows, pending, held } = facts
  const findings = [...pauseFindings(facts)]
  if (expired !== undefined)
    findings.push(
      ofDestination(destination, 'deliveries_expired', {
        title: `${countText(expired.count, 'delivery', 'deliveries')} expired and ${expired.count === 1 ? 'has' : 'have'} not been replayed.`,
        since: expired.firstAt,
        count: expired.count,
        to: `/failures?destination=${destination.id}`,
      }),
    )
  if (rejected !== undefined) findings.push(rejectedFinding(facts, rejected))
  for (const { url, expiresAt } of certificates)
    findings.push(
      ofDestination(destination, 'certificate_expiring', {
        title: `The client certificate ${expiresAt <= now ? 'expired' : 'expires'} at ${formatTimestamp(expiresAt)}.`,
        url,
        to: `/destinations/${destination.id}?tab=settings`,
      }),
    )
  for (const url of longRetryWindows)
    findings.push(
      ofDestination(destination, 'retry_window_too_long', {
        title: 'The retry window is as long as retention, or longer.',
        url,
        to: `/destinations/${destination.id}?tab=settings`,
      }),
    )
  if (!destination.enabled && pending + held > 0)
    findings.push(
      ofDestination(destination, 'deliveries_held', {
        title: `The destination is disabled and has ${countText(pending + held, 'undelivered event')}.`,
        remedy: 'To deliver them, enable the destination in its settings.',
        count: pending + held,
        to: `/destinations/${destination.id}?tab=settings`,
      }),
    )
  if (!destination.enabled || destination.paused !== null) return findings
  return [...findings, ...runningFindings(facts, now)]
}

function rejectedFinding(
  { destination, failures }: DestinationFacts,
  { count, firstAt, class: kind }: NonNullable<DestinationFacts['rejected']>,
): Finding {
  const rejected = ofDestination(destination, 'deliveries_rejected', {
    title: `${countText(count, 'delivery was', 'deliveries were')} rejected in the last hour.`,
    since: firstAt,
    count,
    to: `/failures?destination=${destination.id}`,
  })
  if (kind === undefined) return rejected
  const [failure] = newestFirst(failures.filter((group) => group.class === kind))
  if (failure !== undefined) return withFailure(rejected, failure)
  const { meaning: reason, help: remedy } = DELIVERY_CLASSES[kind]
  return { ...rejected, reason, remedy, details: { class: kind } }
}

/** A finding about a destination. The name of the destination and the host of the webhook precede the title. */
function ofDestination(
  destination: Destination,
  condition: ConditionName,
  { title, url = null, ...more }: Partial<Finding> & Pick<Finding, 'title'>,
): Finding {
  const { id, name, settings } = destination
  const [only, ...others] = settings.webhooks
  const about = url ?? (others.length === 0 ? only?.url : undefined)
  const label = labelOf(name)
  const of = url === null ? label : `${label} (${webhookName(url, destination)})`
  return finding(condition, { kind: 'destination', id, name }, `${of}: ${title}`, {
    label: of,
    detail: url ?? '',
    url,
    ...(about !== undefined && { host: new URL(about).host }),
    to: `/destinations/${id}`,
    ...more,
  })
}

const PAUSE_TEXTS = {
  operator: {
    title: 'Paused by an operator.',
    remedy: CONDITIONS.deliveries_held.remedy,
  },
  webhook_gone: {
    title: 'Paused: the receiver responded with 410 three times in a row.',
    remedy: CONDITIONS.webhook_paused.remedy,
  },
  disabled_by_receiver: {
    title: 'Paused: the receiver requested it with webhook-delivery: disable.',
    remedy:
      'Check with the owner of the receiver, then resume the destination or remove the webhook.',
  },
  url_forbidden: {
    title: 'Paused: the settings forbid its address or port.',
    remedy:
      'Correct the URL, or set allowedNetworks or allowedPorts and restart. The deliveries fail when their retry window ends.',
  },
} as const satisfies Record<Pause['reason'], { title: string; remedy: string }>

function pauseFindings({ destination, held }: DestinationFacts): Finding[] {
  const { paused, settings, enabled } = destination
  if (!enabled) return []
  const pauseFinding = ({ reason, since }: Pause, url: string | null): Finding => {
    const { title, remedy } = PAUSE_TEXTS[reason]
    const condition = reason === 'operator' ? 'deliveries_held' : 'webhook_paused'
    const count = url === null ? held : null
    return ofDestination(destination, condition, {
      title: count ? `${title} ${countText(count, 'delivery', 'deliveries')} held.` : title,
      remedy,
      since,
      url,
      count,
    })
  }
  if (paused !== null) return [pauseFinding(paused, null)]
  return settings.webhooks.flatMap(({ url, paused: pause }) =>
    pause === undefined ? [] : pauseFinding(pause, url),
  )
}

/** Findings about a destination that is enabled and not paused. */
function runningFindings(facts: DestinationFacts, now: number): Finding[] {
  const { destination, webhooks, results, hasRecovered, failures } = facts
  const open = webhooks.filter(({ state }) => state.breaker !== 'closed')
  const details = waitingDetails(facts)
  const findings = webhooks.flatMap((webhook) =>
    webhookFindings(destination, webhook, now, details),
  )
  const rate = open.length > 0 || hasRecovered ? undefined : failingText(results)
  if (rate !== undefined)
    findings.push(
      ofDestination(destination, 'webhook_failing', {
        title: rate,
        since: results!.failingSince ?? results!.lastFailedAt,
        count: results!.attempts - results!.delivered,
        details,
      }),
    )
  if (rate === undefined && open.length === 0) return findings
  // Deliveries without an attempt are separate findings.
  const [newest, ...others] = newestFirst(
    failures.filter(
      (group) =>
        group.lastSeenAt >= now - THRESHOLDS.noSuccessMs &&
        !Object.hasOwn(CLASSES_WITHOUT_ATTEMPT, group.class),
    ),
  )
  if (newest === undefined) return findings
  const first = findings.findIndex(({ condition }) => condition === 'webhook_failing')
  return [
    ...findings.with(first, withFailure(findings[first]!, newest)),
    ...others.map((group) => failureFinding(destination, group)),
  ]
}

function newestFirst(groups: readonly FailureGroup[]): FailureGroup[] {
  return groups.toSorted((a, b) => b.lastSeenAt - a.lastSeenAt)
}

/** The finding with its most recent cause, and the remedy for that cause. */
function withFailure(found: Finding, failure: FailureGroup): Finding {
  const { class: kind, status } = failure
  const isOpen = found.url !== null && found.condition === 'webhook_failing'
  const remedy = remedyOf(kind, status)
  return {
    ...found,
    failure,
    reason: reasonOf(failure),
    remedy: isOpen ? `${remedy} ${CLOSE_BREAKER}` : remedy,
    details: { ...found.details, class: kind },
  }
}

/**
 * The number of pending deliveries, when the first of them expires, and the number of rejected
 * deliveries.
 */
function waitingDetails({ webhooks, rejected }: DestinationFacts): JsonObject {
  const pending = webhooks.reduce((sum, { waiting }) => sum + waiting.pending, 0)
  const expiries = webhooks.flatMap(({ waiting: { firstDueAt }, retryWindowMs }) =>
    firstDueAt === undefined ? [] : firstDueAt + retryWindowMs,
  )
  return {
    ...(pending > 0 && { pending }),
    ...(expiries.length > 0 && { expiresAt: formatTimestamp(Math.min(...expiries)) }),
    ...(rejected !== undefined && { rejected: rejected.count }),
  }
}

/** Why the results count as failing; `undefined` if they do not. */
export function failingText(results: DestinationResults | undefined): string | undefined {
  if (results === undefined) return undefined
  const { attempts, delivered, recent, failuresInRow } = results
  const { minAttempts, minSuccessRate } = THRESHOLDS
  if (attempts > 0 && delivered === 0)
    return `No attempt succeeded in the last hour (${formatCount(attempts)} failed).`
  if (recent.attempts >= minAttempts && recent.delivered < recent.attempts * minSuccessRate)
    return `${formatCount(recent.delivered)} of ${countText(recent.attempts, 'attempt')} in the last 5 minutes succeeded.`
  if (failuresInRow >= THRESHOLDS.failuresInRow)
    return `The last ${countText(failuresInRow, 'attempt')} failed.`
  return undefined
}

/** A finding about an earlier cause. `withFailure` adds the most recent cause to another finding. */
function failureFinding(destination: Destination, group: FailureGroup): Finding {
  const { class: failure, status, count, isComplete, firstSeenAt } = group
  const { meaning } = DELIVERY_CLASSES[failure]
  const deliveries = isComplete
    ? countText(count, 'delivery', 'deliveries')
    : `${formatCount(count)}+ deliveries`
  const title = `${deliveries} failed${status === null ? '' : ` with ${status}`}. ${meaning}`
  return ofDestination(destination, 'webhook_failing', {
    title,
    remedy: remedyOf(failure, status),
    since: firstSeenAt,
    count,
    detail: `failure ${failure} ${status ?? ''}`,
    to: `/failures?destination=${destination.id}`,
  })
}

/**
 * The errors of these classes consist of fixed texts, codes, times and the configured host. Other
 * errors may quote the receiver or the event.
 */
const QUOTED_ERRORS: ReadonlySet<DeliveryClass> = new Set([
  'timeout',
  'connection_failed',
  'dns_failed',
  'proxy_failed',
  'protocol_error',
  'certificate_invalid',
])

/** The outcome of the last attempt, for readers who may not see bodies. */
function reasonOf({ class: failure, status, lastError }: FailureGroup): string {
  if (status !== null) {
    const phrase = STATUS_CODES[status]
    return `The receiver responded with ${status}${phrase === undefined ? '' : ` (${phrase})`}.`
  }
  if (lastError !== null && QUOTED_ERRORS.has(failure)) return lastError
  return DELIVERY_CLASSES[failure].meaning
}

const CLOSE_BREAKER = 'To retry now, close the breaker.'

function webhookFindings(
  destination: Destination,
  webhook: WebhookFacts,
  now: number,
  details: JsonObject,
): Finding[] {
  const { url, state, waiting } = webhook
  const { id } = destination
  const { pending } = waiting
  const oldestAt = waiting.oldestAt ?? null
  const isOld = oldestAt !== null && oldestAt < now - THRESHOLDS.maxWaitMs
  const age = oldestAt === null ? '' : `, the oldest for ${duration(Math.max(0, now - oldestAt))}`
  const backlog =
    pending === 0 ? '' : `${countText(pending, 'delivery', 'deliveries')} pending${age}.`
  const shared = { url, count: pending || null }
  const findings: Finding[] = []
  if (state.breaker !== 'closed')
    findings.push(
      ofDestination(destination, 'webhook_failing', {
        ...shared,
        title: `The breaker opened after too many failures. ${backlog}`.trim(),
        remedy: `${CONDITIONS.webhook_failing.remedy} ${CLOSE_BREAKER}`,
        since: state.brokenSince,
        details,
      }),
    )
  else if (state.retryAfterUntil !== null && pending > 0)
    findings.push(
      ofDestination(destination, isOld ? 'deliveries_late' : 'receiver_throttles', {
        ...shared,
        title: `The receiver sent Retry-After, or the request for an access token failed. ${backlog}`,
        remedy: `Next attempt at ${formatTimestamp(state.retryAfterUntil)}. ${CONDITIONS.receiver_throttles.remedy}`,
        since: oldestAt,
      }),
    )
  else if (isOld)
    findings.push(
      ofDestination(destination, 'deliveries_late', {
        ...shared,
        title: backlog,
        since: oldestAt,
        to: `/destinations/${id}?tab=deliveries&state=waiting`,
      }),
    )
  return [...expiringFinding(destination, webhook, now), ...findings]
}

function expiringFinding(
  destination: Destination,
  { url, waiting: { pending, oldestAt, firstDueAt }, retryWindowMs }: WebhookFacts,
  now: number,
): Finding[] {
  if (firstDueAt === undefined) return []
  const expiresAt = firstDueAt + retryWindowMs
  // For a short retry window, half of it: a delivery that has just failed is not about to expire.
  if (expiresAt - now > Math.min(THRESHOLDS.expiringMs, retryWindowMs / 2)) return []
  const which =
    pending === 1
      ? 'The pending delivery'
      : `The first of ${formatCount(pending)} pending deliveries`
  const title = `${which} expires at ${formatTimestamp(expiresAt)}.`
  const shared = { url, count: pending, since: oldestAt ?? null }
  return [ofDestination(destination, 'deliveries_expiring', { ...shared, title })]
}
