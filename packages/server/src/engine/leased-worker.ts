import type { LeaseName, Leases } from '../backend/leases.ts'
import type { Worker } from '../util/workers/worker.ts'

/** A worker that works only while this node has a lease, and waits for it otherwise. */
export class LeasedWorker implements Worker {
  readonly name: string
  readonly #worker: Worker
  readonly #lease: LeaseName
  readonly #leases: Leases

  constructor(worker: Worker, lease: LeaseName, leases: Leases) {
    this.name = worker.name
    this.#worker = worker
    this.#lease = lease
    this.#leases = leases
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await using lease = await this.#leases.acquire(this.#lease, signal)
      if (lease !== undefined) await this.#worker.run(AbortSignal.any([signal, lease.lost]))
    }
  }
}
