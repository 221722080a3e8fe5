import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'
import { oneOf } from './faults/fault.ts'

const PAUSE_MS = 250
const BODY = { name: 'Made under faults', role: 'viewer' }

/** Creates tokens during faults. Each request has an idempotency key and is repeated at any node until one responds. */
export class KeyedRequests {
  readonly #cluster: Cluster
  readonly #random: () => number
  readonly #created = new Set<string>()

  constructor(cluster: Cluster, random: () => number) {
    this.#cluster = cluster
    this.#random = random
  }

  get count(): number {
    return this.#created.size
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#created.add(await this.#make(randomUUID()))
      await sleep(PAUSE_MS)
    }
  }

  /** Stored tokens that no response contained, and missing tokens that a response contained. */
  async faults(): Promise<readonly string[]> {
    const rows = await this.#cluster.sql('SELECT id FROM tokens')
    const stored = new Set(rows.map(({ id }) => id as string))
    return [
      ...[...stored.difference(this.#created)].map((id) => `${id} was made by a repeated request`),
      ...[...this.#created.difference(stored)].map((id) => `${id} is missing`),
    ]
  }

  async #make(key: string): Promise<string> {
    for (;;) {
      const node = oneOf(this.#cluster.nodes, this.#random)
      const created = await this.#cluster.post<{ id: string }>(node, 'tokens', { body: BODY, key })
      if (created !== undefined) return created.id
      await sleep(PAUSE_MS)
    }
  }
}
