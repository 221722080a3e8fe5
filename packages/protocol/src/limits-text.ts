import { parseTimeSpan } from './time-span.ts'

/** The limits of a webhook in the management API. */
export interface PresentedLimits {
  readonly perSecond?: number
  readonly concurrency?: number
  readonly timeout?: string
  readonly retryWindow?: string
  readonly retrySchedule?: readonly string[]
  readonly retryOn?: readonly number[]
}

/** `20 attempts/s; timeout 20s` */
export function limitsText(limits: PresentedLimits): string {
  const { perSecond, concurrency, timeout, retryWindow, retrySchedule, retryOn } = limits
  return [
    perSecond !== undefined && `${perSecond} attempts/s`,
    concurrency !== undefined && `${concurrency} in flight`,
    timeout !== undefined && `timeout ${timeout}`,
    retryWindow !== undefined &&
      (parseTimeSpan(retryWindow) === 0 ? 'no retries' : `retry window ${retryWindow}`),
    retrySchedule !== undefined && `retries after ${retrySchedule.join(', ')}`,
    retryOn !== undefined && `retries on ${retryOn.join(', ')}`,
  ]
    .filter((part) => part !== false)
    .join('; ')
}
