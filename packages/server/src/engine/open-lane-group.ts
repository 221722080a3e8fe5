import { WebhookHealth } from '../delivery/health/webhook-health.ts'
import { WebhookSender, type WebhookSenderOptions } from '../delivery/sending/sender.ts'
import type { Clock } from '../util/time/clock.ts'
import { Redacted } from '../util/secrets/redacted.ts'
import { LaneGroup, type LaneGroupOptions, type LaneSettings } from './lane-group.ts'

/** How requests are sent. Plain data, which can be sent to a thread. */
export interface SenderSettings extends Omit<
  WebhookSenderOptions,
  'clock' | 'inspector' | 'egressProxy'
> {
  /** The URL of an HTTP proxy that makes all connections. It may contain a password. */
  readonly egressProxy?: string | undefined
}

/** The settings of a group of lanes. Plain data, which can be sent to a thread. */
export interface LaneGroupSettings extends LaneSettings {
  readonly sender: SenderSettings
}

type OpenOptions = Omit<LaneGroupOptions, 'settings' | 'sender' | 'health' | 'attempts'> &
  Pick<WebhookSenderOptions, 'inspector'> & { readonly settings: LaneGroupSettings }

/** Opens a group of lanes with a sender and breakers of its own, from plain data and ports alone. */
export function openLaneGroup({ inspector, ...options }: OpenOptions): LaneGroup {
  const { clock, settings } = options
  const { retryScheduleMs } = settings
  // A breaker stays open for at most the longest wait between two attempts.
  const longestOpenMs = retryScheduleMs && Math.max(...retryScheduleMs)
  return new LaneGroup({
    ...options,
    sender: openSender(settings.sender, { clock, inspector }),
    health: new WebhookHealth(clock, { longestOpenMs }),
  })
}

/** A sender from plain data. */
export function openSender(
  { egressProxy, ...settings }: SenderSettings,
  others: { readonly clock: Clock; readonly inspector?: WebhookSenderOptions['inspector'] },
): WebhookSender {
  const proxy = egressProxy === undefined ? {} : { egressProxy: new Redacted(egressProxy) }
  return new WebhookSender({ ...settings, ...others, ...proxy })
}
