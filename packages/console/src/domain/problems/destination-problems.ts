import { HEALTH_LIMITS } from '@hookline/protocol'
import { counted, duration, wholeNumber } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import { relativeTime } from '../../format/times.ts'
import type { HealthyDestination, WebhookHealth } from '../destinations/destination-query.ts'
import { type Pause, PAUSE_CAUSES } from '../destinations/destination-state.ts'
import type { CurrentProblem } from './current-problem.ts'

export type CheckedDestination = Pick<
  HealthyDestination,
  'id' | 'name' | 'enabled' | 'paused' | 'settings' | 'health'
>

/** Long names would hide the problem behind them. */
const MAX_NAME_CHARACTERS = 80
const MAX_URL_CHARACTERS = 100

const PAUSE_REMEDIES = {
  operator: 'Deliveries are held, and do not expire, until you resume it.',
  webhook_gone: 'Correct the URL or remove the webhook, then resume.',
  disabled_by_receiver: 'Check with the owner of the receiver. Resume, or remove the webhook.',
  url_forbidden: 'Correct the URL and resume, or set allowedNetworks or allowedPorts and restart.',
} as const

/** Problems that stop or slow deliveries. `now`: milliseconds since the epoch. */
export function destinationProblems(
  destinations: readonly CheckedDestination[],
  now: number,
): CurrentProblem[] {
  const running = destinations.filter(({ enabled, paused }) => enabled && paused === null)
  const unsuccessful = unsuccessfulAmong(running)
  return destinations.flatMap((destination) => {
    const problems = destinationProblem(destination, now)
    // An open breaker implies a low success rate.
    const isBroken = problems.some(({ key }) => key.startsWith('breaker'))
    if (isBroken || !unsuccessful.includes(destination)) return problems
    return [...problems, successProblem(destination)]
  })
}

function destinationProblem(destination: CheckedDestination, now: number): CurrentProblem[] {
  const { id, enabled, paused, settings, health } = destination
  const name = shownText(destination.name, MAX_NAME_CHARACTERS)
  if (!enabled) return disabledProblem(destination, name, now)
  const whole =
    paused === null ? [] : [pauseProblem({ id, url: '', name, pause: paused, held: health.held })]
  const parts = settings.webhooks.flatMap(({ url, paused: pause }) => {
    const webhook = health.webhooks.find((each) => each.url === url)
    const label = `${name}: ${shownText(url, MAX_URL_CHARACTERS)}`
    if (pause !== null)
      return [pauseProblem({ id, url, name: label, pause, held: webhook?.held ?? 0 })]
    if (paused !== null || webhook === undefined) return []
    return webhookProblem(id, label, webhook, now)
  })
  return [...whole, ...parts]
}

function disabledProblem(
  { id, health: { pending, held, oldestPendingAt } }: CheckedDestination,
  name: string,
  now: number,
): CurrentProblem[] {
  if (pending + held === 0) return []
  return [
    {
      key: `disabled ${id}`,
      severity: 'attention',
      title: `${name} is disabled with ${counted(pending + held, 'undelivered event')}${ageText(oldestPendingAt, now)}.`,
      remedy: 'To deliver them, enable the destination in its settings.',
      to: `/destinations/${id}?tab=settings`,
    },
  ]
}

interface PauseFacts {
  readonly id: string
  /** Empty if the whole destination is paused. */
  readonly url: string
  readonly name: string
  readonly pause: Pause
  readonly held: number
}

function pauseProblem({ id, url, name, pause: { reason }, held }: PauseFacts): CurrentProblem {
  const count = held === 0 ? '' : ` ${wholeNumber(held)} held.`
  return {
    key: `pause ${id} ${url}`,
    severity: 'attention',
    title: `${name} is paused. ${PAUSE_CAUSES[reason]}${count}`,
    remedy: PAUSE_REMEDIES[reason],
    to: `/destinations/${id}`,
  }
}

/** The first that applies: an open breaker, Retry-After, a long wait without a known reason. */
function webhookProblem(
  id: string,
  name: string,
  { url, breaker, retryAfterUntil, pending, oldestPendingAt }: WebhookHealth,
  now: number,
): CurrentProblem[] {
  const isOld =
    oldestPendingAt !== null && Date.parse(oldestPendingAt) < now - HEALTH_LIMITS.maxWaitMs
  const backlog = pending === 0 ? '' : ` ${backlogText(pending, oldestPendingAt, now)}`
  const to = `/destinations/${id}`
  if (breaker !== 'closed')
    return [
      {
        key: `breaker ${id} ${url}`,
        severity: 'failing',
        title: `The breaker of ${name} opened after too many failures.${backlog}`,
        remedy: 'Send a test to see the response. To retry now, close the breaker.',
        to,
      },
    ]
  if (retryAfterUntil !== null && pending > 0)
    return [
      {
        key: `retry-after ${id} ${url}`,
        severity: isOld ? 'failing' : 'attention',
        title: `${name}: no access token, or the receiver sent Retry-After.${backlog}`,
        remedy: `Next attempt ${relativeTime(Date.parse(retryAfterUntil), now)}. To retry immediately, use “Retry now” on its page.`,
        to,
      },
    ]
  if (!isOld) return []
  return [
    {
      key: `old ${id} ${url}`,
      severity: 'failing',
      title: `${name}:${backlog}`,
      remedy: 'The deliveries list shows the reason and next attempt for each.',
      to: `${to}?tab=deliveries&state=waiting`,
    },
  ]
}

function backlogText(count: number, oldestAt: string | null, now: number): string {
  return `${counted(count, 'pending delivery', 'pending deliveries')}${ageText(oldestAt, now)}.`
}

function ageText(oldestAt: string | null, now: number): string {
  if (oldestAt === null) return ''
  return `, oldest waiting for ${duration(Math.max(0, now - Date.parse(oldestAt)))}`
}

type LastHour = Pick<HealthyDestination['health']['lastHour'], 'attempts' | 'delivered'>

/** Destinations with a low success rate in the last hour. If each had few attempts, the total decides. */
function unsuccessfulAmong(destinations: readonly CheckedDestination[]): CheckedDestination[] {
  const sum = (name: keyof LastHour): number =>
    destinations.reduce((total, { health }) => total + health.lastHour[name], 0)
  const total = { attempts: sum('attempts'), delivered: sum('delivered') }
  const isEnough = ({ attempts }: LastHour): boolean => attempts >= HEALTH_LIMITS.minAttempts
  const isLowInTotal = isLow(total) && isEnough(total)
  return destinations.filter(
    ({ health: { lastHour } }) => isLow(lastHour) && (isLowInTotal || isEnough(lastHour)),
  )
}

function isLow({ attempts, delivered }: LastHour): boolean {
  return attempts > 0 && delivered < attempts * HEALTH_LIMITS.minSuccessRate
}

function successProblem({ id, name, health: { lastHour } }: CheckedDestination): CurrentProblem {
  const { attempts, delivered } = lastHour
  return {
    key: `success ${id}`,
    severity: 'failing',
    title: `${shownText(name, MAX_NAME_CHARACTERS)}: ${wholeNumber(delivered)} of ${wholeNumber(attempts)} attempts succeeded in the last hour.`,
    remedy: 'The deliveries list shows each response. Send a test to see the current one.',
    to: `/destinations/${id}?tab=deliveries`,
  }
}
