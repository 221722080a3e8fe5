import type { PresentedLimits } from './limits-text.ts'

export type LimitName = keyof PresentedLimits

/** For each limit: the service's setting that applies to a webhook without its own limit; `null` for none. */
export const LIMIT_SETTINGS = {
  perSecond: null,
  concurrency: 'maxConcurrencyPerWebhook',
  timeout: 'attemptTimeout',
  retryWindow: 'retryWindow',
  retrySchedule: 'retrySchedule',
  retryOn: null,
} as const satisfies Readonly<Record<LimitName, string | null>>

/** A limit as it applies to a webhook, with its origin. */
export interface EffectiveLimit {
  /** `null`: no limit; for `retrySchedule`, exponential backoff. */
  readonly value: PresentedLimits[LimitName] | null
  readonly origin: 'webhook' | 'service'
  /** The name of the setting; `null` if the webhook sets the limit, or no setting exists. */
  readonly setting: string | null
}

export type EffectiveLimits = Readonly<Record<LimitName, EffectiveLimit>>

/** The limits that apply to a webhook. `service` contains the service's settings. A webhook's concurrency cannot exceed the service's. */
export function effectiveLimits(
  webhook: PresentedLimits | undefined,
  service: PresentedLimits,
): EffectiveLimits {
  const names = Object.keys(LIMIT_SETTINGS) as LimitName[]
  const isLower = (webhook?.concurrency ?? Infinity) < (service.concurrency ?? Infinity)
  const limits = names.map((name): [LimitName, EffectiveLimit] => {
    const own = name === 'concurrency' && !isLower ? undefined : webhook?.[name]
    if (own !== undefined) return [name, { value: own, origin: 'webhook', setting: null }]
    const setting = LIMIT_SETTINGS[name]
    return [name, { value: service[name] ?? null, origin: 'service', setting }]
  })
  return Object.fromEntries(limits) as EffectiveLimits
}
