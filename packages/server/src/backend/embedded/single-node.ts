import { randomUUID } from 'node:crypto'
import type { Clock } from '../../util/time/clock.ts'
import type { Leases, Nodes, ServiceNode } from '../nodes.ts'
import type { Signals } from '../signals.ts'

/** The only node: one process is the whole service. */
export function singleNode(clock: Clock): Nodes {
  const id = randomUUID()
  let joined: Pick<ServiceNode, 'version' | 'role' | 'startedAt'> | undefined
  return {
    id,
    get current() {
      if (joined === undefined) return []
      return [{ id, ...joined, seenAt: clock.wall(), isAlive: true }]
    },
    onChange: () => NOTHING,
    async join(node) {
      joined = { ...node, startedAt: clock.wall() }
      return {
        [Symbol.asyncDispose]: async () => {
          joined = undefined
        },
      }
    },
  }
}

export const SINGLE_NODE_LEASES: Leases = {
  acquire: async (_name, signal) =>
    signal.aborted
      ? undefined
      : { lost: new AbortController().signal, [Symbol.asyncDispose]: async () => undefined },
}

const NOTHING = (): void => undefined

export const NO_SIGNALS: Signals = {
  publish: NOTHING,
  onMessage: () => NOTHING,
  onMissed: () => NOTHING,
  request: async () => [],
  onRequest: () => NOTHING,
  read: () => ({ [Symbol.dispose]: NOTHING }),
  onRead: () => NOTHING,
}
