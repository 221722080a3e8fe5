import type { Destination } from '@hookline/cli/management-client'

export type Limits = NonNullable<Destination['settings']['webhooks'][number]['limits']>

/** `20 attempts/s, timeout 20s` */
export function limitsText(limits: Limits): string {
  const { perSecond, concurrency, timeout, retryWindow, retrySchedule, retryOn } = limits
  return [
    perSecond !== undefined && `${perSecond} attempts/s`,
    concurrency !== undefined && `${concurrency} in flight`,
    timeout !== undefined && `timeout ${timeout}`,
    retryWindow !== undefined && `retry window ${retryWindow}`,
    retrySchedule !== undefined && `retries after ${retrySchedule.join(', ')}`,
    retryOn !== undefined && `retries on ${retryOn.join(', ')}`,
  ]
    .filter((part) => part !== false)
    .join('; ')
}
