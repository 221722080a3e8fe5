import type { Destination } from '../../api/generated/management-client.ts'
import { nameAndId, type Names } from '../names.ts'
import type { Output } from '../output.ts'
import { details } from '../details.ts'

/** Why a webhook or a destination is paused, for people. */
export const PAUSE_CAUSES: Readonly<Record<NonNullable<Destination['paused']>['reason'], string>> =
  {
    operator: 'somebody paused it',
    gone: 'it kept responding 410 Gone',
    forbidden: 'its address or port is forbidden by allowedNetworks or allowedPorts',
  }

/** A destination with its settings, for people. */
export function destinationDetails(
  output: Output,
  destination: Destination,
  sources: Names = new Map(),
): string {
  const { id, name, paused, sourceId, settings } = destination
  return details(output, [
    ['id', id],
    ['name', name],
    ['enabled', enabledText(output, destination)],
    ['paused', paused === null ? 'no' : `since ${output.time(paused.since)}: deliveries are held`],
    ['source', nameAndId(sourceId, sources)],
    ['shared secret', secretText(settings.sharedSecret)],
    ['policy', settings.successPolicy],
    ...settings.webhooks.map((webhook) => ['webhook', webhookText(webhook)] as const),
    ...(destination.warnings ?? []).map(
      ({ message, hint }) => ['warning', `${message} ${hint}`] as const,
    ),
  ])
}

function enabledText(output: Output, { enabled, enabledChangedAt }: Destination): string {
  const since = enabledChangedAt === null ? '' : `, since ${output.time(enabledChangedAt)}`
  return enabled ? `yes${since}` : `no${since}: new events are not forwarded`
}

function secretText({ set, last4 }: Destination['settings']['sharedSecret']): string {
  if (!set) return 'none: requests are not signed'
  return last4 === undefined ? 'set' : `set, ends with ${last4}`
}

function webhookText({
  url,
  headers,
  paused,
}: Destination['settings']['webhooks'][number]): string {
  const names = Object.keys(headers)
  return [
    url,
    ...(names.length === 0 ? [] : [`(with ${names.join(', ')})`]),
    ...(paused === null ? [] : [`(paused since ${paused.since}: ${PAUSE_CAUSES[paused.reason]})`]),
  ].join(' ')
}
