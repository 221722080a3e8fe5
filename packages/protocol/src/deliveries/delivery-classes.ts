import { ATTEMPT_CLASSES, type AttemptClassInfo } from './attempt-classes.ts'

/** Why a delivery ended without being delivered, where no attempt says it. */
export const CLASSES_WITHOUT_ATTEMPT = {
  not_attempted: {
    meaning:
      'The retry window ended before the first attempt. All that time, the breaker of the webhook was open, or its address or port was forbidden. Hookline does not try again.',
    help: 'The other failures of the destination show the cause: its receiver did not work, or its URL is forbidden. When that is mended, send these deliveries again.',
  },
  quarantined: {
    meaning: 'A bug in Hookline or damaged data stopped the delivery. Hookline does not try again.',
    help: 'The operator finds the reason in the log, as `quarantine.added`. Report it as a bug. Then retry the delivery: with damaged data it may work now, with a bug it needs a version that corrects it.',
  },
} as const satisfies Record<string, AttemptClassInfo>

/** Every word for what became of a delivery: the class of the last attempt on a webhook, or why there is none. */
export const DELIVERY_CLASSES = {
  ...ATTEMPT_CLASSES,
  ...CLASSES_WITHOUT_ATTEMPT,
} as const satisfies Record<string, AttemptClassInfo>

export type DeliveryClass = keyof typeof DELIVERY_CLASSES
