import { randomUUID } from 'node:crypto'
import type { Clock } from '../../util/time/clock.ts'
import type { Leases, Nodes, ServiceNode } from '../nodes.ts'
import type { Signals } from '../signals.ts'

/** The only node: one process is the whole service. */
export class SingleNode implements Nodes {
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
    return NOTHING
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

/** The only node has every lease for as long as it wants. */
export const SINGLE_NODE_LEASES: Leases = {
  acquire: async (_name, signal) =>
    signal.aborted
      ? undefined
      : { lost: new AbortController().signal, [Symbol.asyncDispose]: async () => undefined },
}

const NOTHING = (): void => undefined

/** There are no other nodes to exchange messages with. */
export const NO_SIGNALS: Signals = {
  tell: NOTHING,
  onTold: () => NOTHING,
  onMissed: () => NOTHING,
  ask: async () => [],
  onAsked: () => NOTHING,
  read: () => ({ [Symbol.dispose]: NOTHING }),
  onRead: () => NOTHING,
}
