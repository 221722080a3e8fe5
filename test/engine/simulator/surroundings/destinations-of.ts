import type { Destination } from '@hookline/protocol'
import type { Weather } from './receiver-weather.ts'
import type { Scenario } from '../scenario.ts'

/** The destinations of a scenario, with the weather of each of their webhooks by URL. */
export function destinationsOf(scenario: Pick<Scenario, 'destinations'>): {
  readonly destinations: readonly Destination[]
  readonly weather: ReadonlyMap<string, Weather>
} {
  const weather = new Map<string, Weather>()
  const destinations = scenario.destinations.map(({ webhooks, successPolicy }, index) => {
    const id = `dst_${index}`
    const urls = webhooks.map((its, place) => {
      const url = `https://${id}.example/${place}`
      weather.set(url, its)
      return url
    })
    return destinationOf(id, urls, successPolicy)
  })
  return { destinations, weather }
}

export function destinationOf(
  id: string,
  urls: readonly string[],
  successPolicy: 'any' | 'each',
): Destination {
  return {
    id,
    sourceId: 'src_a',
    type: 'Webhooks',
    name: id,
    enabled: true,
    paused: null,
    settings: {
      sharedSecret: null,
      webhooks: urls.map((url) => ({ url, headers: {} })),
      successPolicy,
    },
    createdAt: 0,
    updatedAt: 0,
    version: 1,
  }
}
