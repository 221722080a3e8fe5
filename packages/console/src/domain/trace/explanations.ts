import {
  ATTEMPT_CLASSES,
  type AttemptClass,
  type AttemptClassInfo,
  DECLINE_REASONS,
  type DeclineReason,
} from '@hookline/protocol'
import type { Decision, Trace, TracedDelivery, Waiting } from './trace-query.ts'

/** Why something is as it is, and what ends it. */
export interface Explanation {
  readonly cause: string
  /** Empty where nothing has to be done. */
  readonly remedy: string
  /** The page on which the remedy is. */
  readonly page?: 'destination' | 'destinations' | 'sources' | 'system'
}

/** Its button has a name of its own on each page. */
const AT_ONCE = 'An editor can start the next attempt now.'

const RESUME = { remedy: 'Resume the destination on its page.', page: 'destination' } as const

/** The API names routes in its remedies; here they are buttons and pages. */
const WAITS: Readonly<Record<Waiting['reason'], Explanation>> = {
  in_flight: { cause: 'The request is under way: it waits for the response.', remedy: '' },
  in_line: {
    cause: 'It is due, and waits for its turn: more events arrive than the receiver takes.',
    remedy: '',
  },
  retry: {
    cause: 'The last attempt failed, and the next one is due later.',
    remedy: AT_ONCE,
  },
  retry_after: {
    cause: 'The receiver asked for a pause with Retry-After.',
    remedy: AT_ONCE,
  },
  breaker_open: {
    cause:
      'Too many attempts on the webhook failed, so its breaker is open. One attempt at a time checks whether the receiver works again.',
    remedy: 'Close the breaker on the page of the destination to make the next attempt now.',
    page: 'destination',
  },
  webhook_paused: { cause: 'The webhook is paused.', ...RESUME },
  webhook_gone: {
    cause: 'The receiver responded with 410 three times in a row, so the webhook is paused.',
    ...RESUME,
  },
  url_forbidden: {
    cause:
      'The settings allowedNetworks and allowedPorts forbid its address or port, so the webhook is paused.',
    remedy:
      'Correct the URL and resume the destination on its page, or change the settings and restart Hookline.',
    page: 'destination',
  },
  destination_paused: { cause: 'The destination is paused.', ...RESUME },
  destination_disabled: {
    cause: 'The destination is disabled.',
    remedy: 'Enable it on its page.',
    page: 'destination',
  },
}

const DECLINES: Readonly<Record<DeclineReason, Omit<Explanation, 'cause'>>> = {
  destination_disabled: {
    remedy: 'Enable it on its page: it then receives later events. Replay sends it this one.',
    page: 'destination',
  },
  integrations: { remedy: DECLINE_REASONS.integrations.help },
}

const ENDED: Readonly<Record<TracedDelivery['state'], Explanation>> = {
  pending: { cause: 'It is not delivered yet.', remedy: '' },
  delivered: { cause: 'It was delivered.', remedy: '' },
  rejected: {
    cause: 'It was rejected, and Hookline does not try again by itself.',
    remedy: 'Mend the cause below, then replay it.',
  },
  expired: {
    cause: 'It could not be delivered before its retry window ended.',
    remedy: 'Mend the cause below, then replay it.',
  },
  held: { cause: 'It is held while its webhooks are paused.', remedy: '' },
  quarantined: {
    cause: 'A bug in Hookline stopped it.',
    remedy: 'Report the reason below. Replay tries it again.',
  },
}

const UNDECIDED: Explanation = {
  cause:
    'There is no record for this destination yet: the event is being decided, or delivered for the first time.',
  remedy: 'If this stays so, the page System says what is stuck.',
  page: 'system',
}

const LATER = {
  remedy: 'It receives later events. A test on its page can send this one to it, once.',
  page: 'destination',
} as const

const GONE = 'Create a destination to receive later events.'

/** What the trace says of the event itself. What duplicates mean is among its facts. */
const FINDINGS: Readonly<Record<Trace['findings'][number]['code'], Explanation | undefined>> = {
  no_destination: {
    cause: 'The source had no destination when the event arrived.',
    remedy: 'Create one: it receives later events.',
    page: 'destinations',
  },
  source_removed: {
    cause: 'The source was removed after the event arrived, with its destinations.',
    remedy: 'Send to another source.',
    page: 'sources',
  },
  duplicates: undefined,
}

export function findingExplanations({ findings }: Pick<Trace, 'findings'>): Explanation[] {
  return findings.flatMap(({ code }) => FINDINGS[code] ?? [])
}

/** Why a webhook does not have the event yet. */
export function waitExplanation({ reason, explanation }: Waiting): Explanation {
  return WAITS[reason] ?? { cause: explanation, remedy: '' }
}

/** Why a destination got the event, or not. */
export function decisionExplanation(
  { decision, reason, explanation }: Decision,
  delivery: TracedDelivery | undefined,
  isGone: boolean,
): Explanation {
  if (isGone) return { cause: explanation, remedy: GONE, page: 'destinations' }
  if (decision === 'none') return { cause: explanation, ...LATER }
  if (decision === 'declined' && reason !== null && Object.hasOwn(DECLINES, reason)) {
    const known = reason as DeclineReason
    return { cause: DECLINE_REASONS[known].meaning, ...DECLINES[known] }
  }
  if (decision === 'pending') return UNDECIDED
  if (decision !== 'deliver' || delivery === undefined) return { cause: explanation, remedy: '' }
  return isRemoved(delivery)
    ? { cause: 'Its destination was removed before it could be delivered.', remedy: '' }
    : ENDED[delivery.state]
}

function isRemoved({ state, webhooks }: TracedDelivery): boolean {
  return state === 'rejected' && webhooks.every((part) => part.state !== 'rejected')
}

/** The meaning of a class of attempts, and its remedy; `undefined` for one that this console does not know. */
export function classInfo(name: string): AttemptClassInfo | undefined {
  return Object.hasOwn(ATTEMPT_CLASSES, name) ? ATTEMPT_CLASSES[name as AttemptClass] : undefined
}
