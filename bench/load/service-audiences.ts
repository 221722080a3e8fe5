import { randomUUID } from 'node:crypto'
import type { Condition } from '@hookline/protocol'
import type { BenchSource, ServiceProcess } from './service-process.ts'

/** A sync in the management API. */
interface ShownSync {
  readonly reason: string
  readonly state: string
  readonly startedAt: string
  readonly finishedAt: string
  readonly entered: number
  readonly missed: number
}

interface ShownAudience {
  readonly state: string
  readonly sync: ShownSync | null
  readonly lastSync: ShownSync | null
}

const POLL_MS = 100
const DEADLINE_MS = 10 * 60_000

export class ServiceAudiences {
  readonly #service: ServiceProcess
  readonly #source: BenchSource
  readonly #ids: string[] = []

  /** @param source the source whose destinations receive the changes */
  constructor(service: ServiceProcess, source: BenchSource) {
    this.#service = service
    this.#source = source
  }

  async add(condition: Condition): Promise<string> {
    const { destinationIds } = this.#source
    const body = { name: `Audience ${randomUUID()}`, destinationIds, condition }
    const { id } = await this.#service.api.call<{ id: string }>('POST', 'audiences', body)
    this.#ids.push(id)
    return id
  }

  async requestSync(id: string): Promise<void> {
    await this.#service.api.call('POST', `audiences/${id}/sync`)
  }

  async remove(id: string): Promise<void> {
    await this.#service.api.call('DELETE', `audiences/${id}`)
  }

  /** Resolves when all added audiences have been synced. */
  async allSynced(): Promise<void> {
    for (const id of this.#ids) await this.synced(id)
  }

  /** Resolves with the most recent sync when none is pending or running. */
  async synced(id: string): Promise<ShownSync> {
    const deadline = performance.now() + DEADLINE_MS
    for (;;) {
      const { sync, lastSync } = await this.#service.api.call<ShownAudience>(
        'GET',
        `audiences/${id}`,
      )
      if (sync === null && lastSync?.state === 'failed') throw new Error('A sync failed.')
      if (sync === null && lastSync !== null) return lastSync
      if (performance.now() > deadline) throw new Error('A sync did not finish in time.')
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
  }
}

/** The duration of a sync in seconds. */
export function secondsOf({ startedAt, finishedAt }: ShownSync): number {
  return (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000
}
