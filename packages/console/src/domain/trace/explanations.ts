import {
  ATTEMPT_CLASSES,
  type AttemptClass,
  type AttemptClassInfo,
  DECLINE_REASONS,
  type DeclineReason,
  remedyOf,
} from '@hookline/protocol'
import type { Decision, Trace, TracedDelivery, WaitReason } from './trace-query.ts'

export interface Explanation {
  readonly cause: string
  /** Empty if there is nothing to do. */
  readonly remedy: string
  /** The page of the remedy. */
  readonly page?: 'destination' | 'destinations' | 'sources' | 'system'
}

const DECLINES: Readonly<Record<DeclineReason, Partial<Explanation>>> = {
  destination_disabled: {
    // The page adds when it was disabled, in the displayed time zone.
    cause: DECLINE_REASONS.destination_disabled.meaning,
    remedy: 'Enable the destination to deliver later events. To deliver this one, replay it.',
    page: 'destination',
  },
  integrations: { remedy: DECLINE_REASONS.integrations.help },
  filtered: { remedy: DECLINE_REASONS.filtered.help, page: 'destination' },
  sampled: { remedy: DECLINE_REASONS.sampled.help, page: 'destination' },
}

const FIX = 'Fix the cause, then replay the event.'

const STATES: Readonly<Record<TracedDelivery['state'], Explanation>> = {
  pending: { cause: 'Not delivered yet.', remedy: '' },
  delivered: { cause: 'Delivered.', remedy: '' },
  declined: {
    cause: 'Declined: the destination’s transform returned nothing for this event.',
    remedy: ATTEMPT_CLASSES.transform_declined.help,
    page: 'destination',
  },
  // The remedy is beside the attempt.
  rejected: { cause: 'Rejected. Hookline does not retry the delivery.', remedy: '' },
  expired: {
    cause: 'Expired: the event could not be delivered within the retry window.',
    remedy: FIX,
  },
  held: { cause: 'Held, because the webhook or the destination is paused.', remedy: '' },
  quarantined: {
    cause: 'Quarantined: a bug in Hookline or corrupted data stopped the delivery.',
    remedy:
      'After data corruption, retry the delivery. If it was a bug, report it, and retry after upgrading to a version with the fix.',
  },
}

const UNDECIDED: Explanation = {
  cause: 'Not processed yet, or the first attempt is in progress.',
  remedy: 'If nothing changes, look for a failing check on the System page.',
  page: 'system',
}

const FINDING_PAGES = { no_destination: 'destinations', source_removed: 'sources' } as const

/** Duplicates are explained in `EventFacts`. */
export function findingExplanations({ findings }: Pick<Trace, 'findings'>): Explanation[] {
  return findings.flatMap(({ code, message, remedy }) =>
    code === 'duplicates' ? [] : [{ cause: message, remedy, page: FINDING_PAGES[code] }],
  )
}

export function waitExplanation({ reason, explanation, remedy }: WaitReason): Explanation {
  if (remedy === null) return { cause: explanation, remedy: '' }
  // The button that retries is on the same page.
  return { cause: explanation, remedy, ...(reason !== 'retry' && { page: 'destination' }) }
}

export function decisionExplanation(
  { decision, reason, explanation, remedy }: Decision,
  delivery: TracedDelivery | undefined,
  isRemoved: boolean,
): Explanation {
  const shown = { cause: explanation, remedy: remedy ?? '' }
  if (isRemoved) return { ...shown, page: 'destinations' }
  if (decision === 'none') return { ...shown, page: 'destination' }
  if (decision === 'declined' && reason !== null && Object.hasOwn(DECLINES, reason))
    return { ...shown, ...DECLINES[reason as DeclineReason] }
  if (decision === 'pending') return UNDECIDED
  if (decision !== 'deliver' || delivery === undefined) return shown
  const { state, webhooks } = delivery
  const isRejected = webhooks.some((part) => part.state === 'rejected')
  return state === 'rejected' && !isRejected
    ? { cause: 'The destination was deleted before delivery.', remedy: '' }
    : STATES[state]
}

/** Why the headers and body of the response are not stored. */
export function whyNotStored({ class: name }: EndedAttempt): string {
  return name === 'delivered'
    ? 'Headers and body not stored. For successful attempts, Hookline stores at most one response per minute for each webhook.'
    : 'Headers and body not stored. For failed attempts, Hookline stores the first 40 responses per hour for each webhook and cause, then at most one per minute.'
}

interface EndedAttempt {
  readonly class: string
  readonly status?: number | null | undefined
}

/** `undefined` for a class that this version of the console does not have. */
export function classInfo({ class: name, status }: EndedAttempt): AttemptClassInfo | undefined {
  if (!Object.hasOwn(ATTEMPT_CLASSES, name)) return undefined
  const kind = name as AttemptClass
  return { ...ATTEMPT_CLASSES[kind], help: remedyOf(kind, status) }
}
