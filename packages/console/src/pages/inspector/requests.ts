import type { api } from '../../api/client.ts'
import type { Destination } from '@hookline/cli/management-client'
import { titleOf } from '../../domain/events/event-summary.ts'

export type ListedRequest = Awaited<ReturnType<typeof api.listInspectedRequests>>['data'][number]

/** The filters in the URL of the page. */
export type FilterName = 'destination' | 'delivery'

/** The destinations with a webhook to the inspector, which accepts any path. */
export function destinationsTo(
  inspectorUrl: string,
  destinations: readonly Destination[],
): readonly Destination[] {
  const { origin } = new URL(inspectorUrl)
  return destinations.filter(({ settings }) =>
    settings.webhooks.some(({ url }) => URL.parse(url)?.origin === origin),
  )
}

/** The event in a request; its request line if the body has none. */
export function requestTitle({ name, type, method, path }: ListedRequest): string {
  return titleOf({ name, type: type ?? `${method} ${path}` })
}
