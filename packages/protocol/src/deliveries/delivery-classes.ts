import { ATTEMPT_CLASSES, type AttemptClassInfo } from './attempt-classes.ts'

/** Reasons for a failed delivery other than the class of an attempt. */
export const CLASSES_WITHOUT_ATTEMPT = {
  not_attempted: {
    meaning:
      "The retry window ended before the first attempt. Until then, the webhook's breaker was open, or its address or port was forbidden. Hookline does not try again.",
    help: "The destination's other failures show the cause: its receiver kept failing, or its URL is forbidden. Fix the cause, then retry these deliveries.",
  },
  quarantined: {
    meaning:
      'A bug in Hookline or corrupted data stopped the delivery. Hookline does not try again.',
    help: 'Look for `quarantine.added` in the log. After data corruption, retry the delivery. If it was a bug, report it, and retry after upgrading to a version with the fix.',
  },
} as const satisfies Record<string, AttemptClassInfo>

/** The result of a delivery: the class of the last attempt to a webhook, or one of `CLASSES_WITHOUT_ATTEMPT`. */
export const DELIVERY_CLASSES = {
  ...ATTEMPT_CLASSES,
  ...CLASSES_WITHOUT_ATTEMPT,
} as const satisfies Record<string, AttemptClassInfo>

export type DeliveryClass = keyof typeof DELIVERY_CLASSES

const CREDENTIALS_REFUSED =
  "The receiver refused the credentials. Check the webhook's auth, static headers and secrets, then retry the rejected deliveries."

const CONTENT_REFUSED =
  'The receiver refused the content of the request. Its response usually names the reason. Fix that, then retry the rejected deliveries.'

/** Remedies for some statuses, more specific than the one for `http_4xx`. */
const REMEDIES_OF_STATUS: ReadonlyMap<number | null | undefined, string> = new Map([
  [401, CREDENTIALS_REFUSED],
  [403, CREDENTIALS_REFUSED],
  [404, 'Check the path of the URL, then retry the rejected deliveries.'],
  [400, CONTENT_REFUSED],
  [422, CONTENT_REFUSED],
])

/** How to fix the cause of a failed delivery. */
export function remedyOf(failure: DeliveryClass, status?: number | null): string {
  const ofStatus = failure === 'http_4xx' ? REMEDIES_OF_STATUS.get(status) : undefined
  return ofStatus ?? DELIVERY_CLASSES[failure].help
}
