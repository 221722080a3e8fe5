import type { Limits } from '../api/configured-webhook.ts'
import type { Destination } from '../api/generated/management-client.ts'
import type { ApiCommand } from '../commands/api-command.ts'
import { Failure } from '../failure.ts'
import { wholeNumber } from './whole-number.ts'

type Webhook = Destination['settings']['webhooks'][number]

/** For error messages. */
export const LIMIT_FLAGS =
  '--per-second, --concurrency, --timeout, --retry-window, --retry-schedule and --retry-on'

/**
 * Options for the limits of a webhook. `limitsFor` returns the limits of the preceding `--webhook`, and `of` names the
 * webhook in the help.
 */
export function withLimitOptions(
  command: ApiCommand,
  limitsFor: () => Limits,
  of: string,
): ApiCommand {
  const setting = (change: (text: string) => Limits) => (text: string) =>
    Object.assign(limitsFor(), change(text))
  return command
    .option(
      '--per-second <rate>',
      `maximum attempts per second to ${of}`,
      setting((text) => ({ perSecond: rateIn(text) })),
    )
    .option(
      '--concurrency <count>',
      `maximum number of attempts in flight to ${of}`,
      setting((text) => ({ concurrency: wholeNumber(1)(text) })),
    )
    .option(
      '--timeout <time>',
      `timeout for attempts to ${of}, such as 20s`,
      setting((timeout) => ({ timeout })),
    )
    .option(
      '--retry-window <time>',
      `how long deliveries to ${of} are retried, such as 3d`,
      setting((retryWindow) => ({ retryWindow })),
    )
    .option(
      '--retry-schedule <times>',
      `delays between attempts to ${of}, such as 5s,5m,2h; the last one repeats`,
      setting((text) => ({ retrySchedule: text.split(',').map((each) => each.trim()) })),
    )
    .option(
      '--retry-on <statuses>',
      `additional 4xx statuses from ${of} to retry, such as 409,423`,
      setting((text) => ({
        retryOn: text.split(',').map((each) => wholeNumber(400, 499)(each.trim())),
      })),
    )
}

/** The webhooks of a destination with new limits; `null` removes all limits. */
export function withLimits(webhooks: readonly Webhook[], limits: Limits | null): readonly object[] {
  return webhooks.map((webhook) => ({
    ...webhook,
    limits: limits && { ...webhook.limits, ...limits },
  }))
}

function rateIn(text: string): number {
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text)
  throw new Failure('usage', '--per-second must be a number, such as 20 or 0.5.')
}
