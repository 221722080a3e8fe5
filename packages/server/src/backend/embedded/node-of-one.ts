import { randomUUID } from 'node:crypto'
import type { Clock } from '../../util/time/clock.ts'
import type { Nodes, ServiceNode } from '../nodes.ts'

/** One process is the whole service. */
export class NodeOfOne implements Nodes {
  readonly id = randomUUID()
  readonly #clock: Clock
  #joined: Pick<ServiceNode, 'version' | 'role' | 'startedAt'> | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get current(): readonly ServiceNode[] {
    if (this.#joined === undefined) return []
    return [{ id: this.id, ...this.#joined, seenAt: this.#clock.wall(), isAlive: true }]
  }

  onChange(): () => void {
    return () => undefined
  }

  async join(node: Pick<ServiceNode, 'version' | 'role'>): Promise<AsyncDisposable> {
    this.#joined = { ...node, startedAt: this.#clock.wall() }
    return {
      [Symbol.asyncDispose]: async () => {
        this.#joined = undefined
      },
    }
  }
}
