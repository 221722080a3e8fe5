import type { ManagementApi } from '../../api/management-api.ts'
import { counted, durationText, grouped } from '../figures.ts'
import type { Output } from '../output.ts'
import { printable } from '../safe-text.ts'
import { details } from '../details.ts'

export type Health = Awaited<ReturnType<ManagementApi['getDestination']>>['health']
export type WebhookHealth = Health['webhooks'][number]

/** The health of a destination and of each of its webhooks, for people. `now`: milliseconds since the epoch. */
export function healthText(output: Output, health: Health, now: number): string {
  const facts = details(output, [
    ['waiting', waitingText(health, now)],
    ['last hour', lastHourText(health)],
    ...latencyLines(health),
  ])
  return [facts, ...health.webhooks.map((webhook) => webhookText(output, webhook, now))].join(
    '\n\n',
  )
}

function latencyLines({ p95LatencyMs }: Health): (readonly [string, string])[] {
  return p95LatencyMs === null ? [] : [['p95 latency', `${grouped(p95LatencyMs)} ms`]]
}

/** `12 attempts, 3 delivered (25 %)` */
export function lastHourText({
  lastHour,
}: {
  readonly lastHour: Omit<Health['lastHour'], 'lastFailedAt'>
}): string {
  const { attempts, delivered, successRate } = lastHour
  if (successRate === null) return 'no attempts'
  const percent = Math.floor(successRate * 100)
  return `${counted(attempts, 'attempt')}, ${grouped(delivered)} delivered (${percent} %)`
}

/** `open since …, next attempt …` */
export function breakerText(
  {
    breaker,
    brokenSince,
    restsUntil,
  }: Pick<WebhookHealth, 'breaker' | 'brokenSince' | 'restsUntil'>,
  time = (at: string) => at,
): string {
  if (breaker === 'closed') return 'closed'
  const since = brokenSince === null ? '' : ` since ${time(brokenSince)}`
  const next = restsUntil === null ? '' : `, next attempt ${time(restsUntil)}`
  if (breaker === 'open') return `open${since}${next}`
  return `half open${since}: the next attempt shows whether the receiver works again`
}

function webhookText(output: Output, webhook: WebhookHealth, now: number): string {
  const { url, retryAfterUntil, pacePerSecond } = webhook
  const facts = details(output, [
    ['breaker', breakerText(webhook, (at) => output.time(at))],
    ...(retryAfterUntil === null
      ? []
      : [['Retry-After', `no attempt until ${output.time(retryAfterUntil)}`] as const]),
    ...(pacePerSecond === null
      ? []
      : [['pace', `${paceText(pacePerSecond)}, because the receiver throttles them`] as const]),
    ['waiting', waitingText(webhook, now)],
  ])
  const indented = facts.split('\n').map((line) => `  ${line}`)
  return [output.style('bold', printable(url)), ...indented].join('\n')
}

/** `2.5 attempts a second` or `12 attempts a minute` */
function paceText(perSecond: number): string {
  return perSecond >= 1
    ? `${perSecond} attempts a second`
    : `${Math.round(perSecond * 60)} attempts a minute`
}

function waitingText(
  { pending, held, oldestPendingAt }: Pick<Health, 'pending' | 'held' | 'oldestPendingAt'>,
  now: number,
): string {
  const isWaiting = pending > 0 && oldestPendingAt !== null
  const oldest = isWaiting ? `, the oldest for ${ageText(oldestPendingAt, now)}` : ''
  return `${grouped(pending)} pending${oldest}; ${grouped(held)} held`
}

/** How long ago this time was: `3 min 20 s`. */
export function ageText(at: string, now: number): string {
  return durationText(Math.max(0, now - Date.parse(at)) / 1000)
}
