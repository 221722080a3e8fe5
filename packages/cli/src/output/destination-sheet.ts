import type { Destination } from '../api/generated/management-client.ts'
import type { Output } from './output.ts'
import { sheet } from './table.ts'

/** All of a destination, for people. */
export function destinationSheet(output: Output, destination: Destination): string {
  const { id, name, enabled, paused, sourceId, settings } = destination
  return sheet(output, [
    ['id', id],
    ['name', name],
    ['enabled', enabled ? 'yes' : 'no: events that come now are not forwarded'],
    ['paused', paused === null ? 'no' : `since ${paused.since}: deliveries are held`],
    ['source', sourceId],
    ['shared secret', secretText(settings.sharedSecret)],
    ['policy', settings.successPolicy],
    ...settings.webhooks.map((webhook) => ['webhook', webhookText(webhook)] as const),
  ])
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
    ...(paused === null ? [] : [`(paused since ${paused.since}: it kept answering 410)`]),
  ].join(' ')
}
