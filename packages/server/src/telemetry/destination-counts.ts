import type { Attempt, DeliveryState } from '@hookline/protocol'

/** Counts of one destination since startup. */
export interface DestinationCount {
  /** By URL and outcome. */
  readonly attempts: Map<string, Map<Attempt['outcome'], number>>
  readonly ended: Map<DeliveryState, number>
}

/** Counts by destination: up to `maxDestinations` individually, the rest together. */
export class DestinationCounts {
  readonly maxDestinations: number
  /** The counts for all other destinations. */
  others = newCount()
  readonly #byId = new Map<string, DestinationCount>()

  constructor(maxDestinations: number) {
    this.maxDestinations = maxDestinations
  }

  attempt(destinationId: string, url: string, outcome: Attempt['outcome']): void {
    const count = this.#countOf(destinationId)
    const key = count === this.others ? '' : url
    let outcomes = count.attempts.get(key)
    if (outcomes === undefined) count.attempts.set(key, (outcomes = new Map()))
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  }

  ended(destinationId: string, state: DeliveryState): void {
    const { ended } = this.#countOf(destinationId)
    ended.set(state, (ended.get(state) ?? 0) + 1)
  }

  /** Counts of the current destinations, up to the limit. They start at 0, so that Prometheus sees the first increase. */
  of(urlsById: ReadonlyMap<string, ReadonlySet<string>>): ReadonlyMap<string, DestinationCount> {
    for (const [id, { attempts }] of this.#byId) {
      const urls = urlsById.get(id) ?? new Set()
      if (!urlsById.has(id)) this.#byId.delete(id)
      for (const url of attempts.keys()) if (!urls.has(url)) attempts.delete(url)
    }
    for (const id of urlsById.keys()) this.#countOf(id)
    return this.#byId
  }

  /** The counts since the last call, by destination id; the counts for all others are under `''`. Counting restarts from 0. */
  take(): ReadonlyMap<string, DestinationCount> {
    const counts = new Map([...this.#byId, ['', this.others]])
    this.#byId.clear()
    this.others = newCount()
    return counts
  }

  add(counts: ReadonlyMap<string, DestinationCount>): void {
    for (const [id, { attempts, ended }] of counts) {
      const count = id === '' ? this.others : this.#countOf(id)
      for (const [url, outcomes] of attempts) {
        const key = count === this.others ? '' : url
        count.attempts.set(key, sum(count.attempts.get(key), outcomes))
      }
      for (const [state, number] of sum(count.ended, ended)) count.ended.set(state, number)
    }
  }

  #countOf(destinationId: string): DestinationCount {
    let count = this.#byId.get(destinationId)
    if (count !== undefined) return count
    if (this.#byId.size >= this.maxDestinations) return this.others
    this.#byId.set(destinationId, (count = newCount()))
    return count
  }
}

function sum<Key>(a: ReadonlyMap<Key, number> = new Map(), b: ReadonlyMap<Key, number>) {
  const all = new Map(a)
  for (const [key, number] of b) all.set(key, (all.get(key) ?? 0) + number)
  return all
}

function newCount(): DestinationCount {
  return { attempts: new Map(), ended: new Map() }
}
