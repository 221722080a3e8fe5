import { HEALTH_LIMITS } from '@hookline/protocol'
import type { Destination } from '@hookline/cli/management-client'
import { counted, duration, wholeNumber } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import { relativeTime } from '../../format/times.ts'
import type { HealthyDestination, WebhookHealth } from '../destinations/destination-query.ts'
import type { CurrentProblem } from './current-problem.ts'
import { lowSuccess } from './low-success.ts'

/** What the problems of a destination are found in. */
export type CheckedDestination = Pick<
  HealthyDestination,
  'id' | 'name' | 'enabled' | 'paused' | 'settings' | 'health'
>

type Pause = NonNullable<Destination['paused']>

/** So that what is wrong is seen behind a long name. */
const MOST_NAME_CHARACTERS = 80
const MOST_URL_CHARACTERS = 100

const PAUSES = {
  operator: {
    why: 'A person paused it',
    remedy: 'Deliveries wait until it is resumed; none expires.',
  },
  gone: {
    why: 'Its receiver responded 410 Gone three times',
    remedy: 'Correct the URL, or remove the webhook, and resume it.',
  },
  forbidden: {
    why: 'The settings forbid its address',
    remedy: 'Add its network to allowedNetworks, or change the URL.',
  },
} as const

/** What keeps destinations from delivering, or lets most of their attempts fail. `now`: milliseconds since the epoch. */
export function destinationProblems(
  destinations: readonly CheckedDestination[],
  now: number,
): CurrentProblem[] {
  const low = lowSuccess(destinations.filter(isRunning))
  return destinations.flatMap((destination) => {
    const stopped = stops(destination, now)
    // An open breaker says the same, and more.
    const isTold = stopped.some(({ key }) => key.startsWith('breaker'))
    return isTold ? stopped : [...stopped, ...(low.get(destination.id) ?? [])]
  })
}

function isRunning({ enabled, paused }: CheckedDestination): boolean {
  return enabled && paused === null
}

function stops(destination: CheckedDestination, now: number): CurrentProblem[] {
  const { id, enabled, paused, settings, health } = destination
  const name = shownText(destination.name, MOST_NAME_CHARACTERS)
  if (!enabled) return disabledProblem(destination, now)
  const whole =
    paused === null
      ? []
      : [pauseProblem({ id, url: '', what: name, pause: paused, held: health.held })]
  const parts = settings.webhooks.flatMap(({ url, paused: own }) => {
    const webhook = health.webhooks.find((each) => each.url === url)
    const what = `${name}: ${shownText(url, MOST_URL_CHARACTERS)}`
    if (own !== null) return [pauseProblem({ id, url, what, pause: own, held: webhook?.held ?? 0 })]
    if (paused !== null || webhook === undefined) return []
    return webhookProblem({ id, what, webhook, now })
  })
  return [...whole, ...parts]
}

function disabledProblem({ id, name, health }: CheckedDestination, now: number): CurrentProblem[] {
  const { pending, held, oldestPendingAt } = health
  if (pending + held === 0) return []
  return [
    {
      key: `disabled ${id}`,
      severity: 'attention',
      title: `${shownText(name, MOST_NAME_CHARACTERS)} is disabled. ${waitingText(pending + held, oldestPendingAt, now)}.`,
      remedy: 'No attempt is made until it is enabled: enable it in its settings.',
      to: `/destinations/${id}?tab=settings`,
    },
  ]
}

interface PauseFacts {
  readonly id: string
  /** Of the webhook; empty where the whole destination is paused. */
  readonly url: string
  /** The name of what is paused, which may be cut off. */
  readonly what: string
  readonly pause: Pause
  readonly held: number
}

function pauseProblem({ id, url, what, pause, held }: PauseFacts): CurrentProblem {
  const { why, remedy } = PAUSES[pause.reason]
  const count = held === 0 ? '' : ` ${wholeNumber(held)} held.`
  return {
    key: `pause ${id} ${url}`,
    severity: 'attention',
    title: `${what} is paused. ${why}.${count}`,
    remedy,
    to: `/destinations/${id}`,
  }
}

interface WebhookFacts {
  readonly id: string
  /** Its name, with that of the destination. */
  readonly what: string
  readonly webhook: WebhookHealth
  readonly now: number
}

/** Why a webhook gets less than it should: the breaker before Retry-After before a long wait without a known reason. */
function webhookProblem({ id, what, webhook, now }: WebhookFacts): CurrentProblem[] {
  const { url, breaker, retryAfterUntil, pending, oldestPendingAt } = webhook
  const isOld =
    oldestPendingAt !== null && Date.parse(oldestPendingAt) < now - HEALTH_LIMITS.longestWaitMs
  const waits = pending === 0 ? '' : ` ${waitingText(pending, oldestPendingAt, now)}.`
  const to = `/destinations/${id}`
  if (breaker !== 'closed')
    return [
      {
        key: `breaker ${id} ${url}`,
        severity: 'failing',
        title: `${what} failed too often, so its breaker opened.${waits}`,
        remedy:
          '“Test” shows how the receiver responds. “Close breaker” makes the next attempts now.',
        to,
      },
    ]
  if (retryAfterUntil !== null && pending > 0)
    return [
      {
        key: `retry-after ${id} ${url}`,
        severity: isOld ? 'failing' : 'attention',
        title: `${what} asked for a pause with Retry-After.${waits}`,
        remedy: `The next attempt is made ${relativeTime(Date.parse(retryAfterUntil), now)}. “Do not wait” makes it now.`,
        to,
      },
    ]
  if (!isOld) return []
  return [
    {
      key: `old ${id} ${url}`,
      severity: 'failing',
      title: `${what}:${waits}`,
      remedy: 'The list says of each why it waits, and when it is tried next.',
      to: `${to}?tab=deliveries&state=waiting`,
    },
  ]
}

function waitingText(count: number, oldestAt: string | null, now: number): string {
  const oldest =
    oldestAt === null ? '' : `, the oldest for ${duration(Math.max(0, now - Date.parse(oldestAt)))}`
  return `${counted(count, 'delivery waits', 'deliveries wait')}${oldest}`
}
