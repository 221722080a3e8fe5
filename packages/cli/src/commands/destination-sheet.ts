import type { DestinationShown } from '../api/resources.ts'
import type { Output } from '../output/output.ts'
import { sheet } from '../output/table.ts'

/** All of a destination, for people. */
export function destinationSheet(output: Output, destination: DestinationShown): string {
  const { id, name, enabled, sourceId, settings } = destination
  return sheet(output, [
    ['id', id],
    ['name', name],
    ['enabled', enabled ? 'yes' : 'no: events that come now are not forwarded'],
    ['source', sourceId],
    ['shared secret', secretText(settings.sharedSecret)],
    ['policy', settings.successPolicy],
    ...settings.webhooks.map(({ url, headers }) => ['webhook', webhookText(url, headers)] as const),
  ])
}

function secretText({ set, last4 }: DestinationShown['settings']['sharedSecret']): string {
  if (!set) return 'none: requests are not signed'
  return last4 === undefined ? 'set' : `set, ends with ${last4}`
}

function webhookText(url: string, headers: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(headers)
  return names.length === 0 ? url : `${url} (with ${names.join(', ')})`
}
