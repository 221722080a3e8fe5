import type { ManagementApi } from '../../api/management-api.ts'
import { countText, durationText, formatCount } from '../figures.ts'
import type { Output } from '../output.ts'
import { printableText } from '../safe-text.ts'
import { type Detail, details } from '../details.ts'

type HealthyDestination = Awaited<ReturnType<ManagementApi['getDestination']>>
type Health = HealthyDestination['health']
type WebhookHealth = Health['webhooks'][number]
type EffectiveLimits = HealthyDestination['effectiveLimits'][number]

/** The health of a destination, and the health and limits of each webhook. */
export function healthText(
  output: Output,
  { health, effectiveLimits }: HealthyDestination,
  now: number,
): string {
  const { p95LatencyMs, webhooks } = health
  const facts = details(output, [
    ['backlog', backlogText(health, now)],
    ['last hour', lastHourText(health)],
    p95LatencyMs !== null && ['p95 latency', `${formatCount(p95LatencyMs)} ms`],
  ])
  const limitsOf = (url: string) => effectiveLimits.find((each) => each.url === url)
  const texts = webhooks.map((each) => webhookText(output, each, limitsOf(each.url), now))
  return [facts, ...texts].join('\n\n')
}

/** `12 attempts, 3 delivered (25%)` */
function lastHourText({ lastHour }: Health): string {
  const { attempts, delivered, successRate } = lastHour
  if (successRate === null) return 'no attempts'
  const percent = Math.floor(successRate * 100)
  return `${countText(attempts, 'attempt')}, ${formatCount(delivered)} delivered (${percent}%)`
}

/** `open since …, next attempt …` */
function breakerText(output: Output, { breaker, brokenSince, openUntil }: WebhookHealth): string {
  if (breaker === 'closed') return 'closed'
  const since = brokenSince === null ? '' : ` since ${output.time(brokenSince)}`
  const next = openUntil === null ? '' : `, next attempt ${output.time(openUntil)}`
  if (breaker === 'open') return `open${since}${next}`
  return `half-open${since}: the next attempt closes or reopens it`
}

function webhookText(
  output: Output,
  webhook: WebhookHealth,
  limits: EffectiveLimits | undefined,
  now: number,
): string {
  const { url, retryAfterUntil, pacePerSecond } = webhook
  const facts = details(output, [
    ['breaker', breakerText(output, webhook)],
    retryAfterUntil !== null && [
      'next attempt',
      `${output.time(retryAfterUntil)}: the receiver sent Retry-After, or the token request failed`,
    ],
    pacePerSecond !== null && ['rate', `${paceText(pacePerSecond)}, limited by the receiver`],
    ['backlog', backlogText(webhook, now)],
    ...(limits === undefined ? [] : limitDetails(limits)),
  ])
  const indented = facts.split('\n').map((line) => `  ${line}`)
  return [output.style('bold', printableText(url)), ...indented].join('\n')
}

/** `20s (webhook)`, `10s (attemptTimeout)` */
function limitDetails({ url: _url, ...limits }: EffectiveLimits): Detail[] {
  return Object.entries(limits).map(([name, { value, origin, setting }]): Detail => {
    const none = name === 'retrySchedule' ? 'exponential backoff' : 'none'
    const from = origin === 'webhook' ? origin : setting
    return [name, `${[value ?? none].flat().join(', ')}${from === null ? '' : ` (${from})`}`]
  })
}

function paceText(perSecond: number): string {
  return perSecond >= 1
    ? `${countText(perSecond, 'attempt')} per second`
    : `${countText(Math.round(perSecond * 60), 'attempt')} per minute`
}

function backlogText(
  { pending, held, oldestPendingAt }: Pick<Health, 'pending' | 'held' | 'oldestPendingAt'>,
  now: number,
): string {
  const hasPending = pending > 0 && oldestPendingAt !== null
  const oldest = hasPending ? `, oldest waiting for ${ageText(oldestPendingAt, now)}` : ''
  return `${formatCount(pending)} pending${oldest}; ${formatCount(held)} held`
}

function ageText(at: string, now: number): string {
  return durationText(Math.max(0, now - Date.parse(at)) / 1000)
}
