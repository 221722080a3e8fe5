import { expect } from 'vitest'
import { eventually } from '@hookline/testing/run/eventually'
import type { Backend } from '../../../src/backend/backend.ts'
import { type ClusterOptions, openClusterBackend } from '../../../src/backend/cluster/open.ts'
import { type ClusterHarness, openClusterHarness } from './open-cluster-harness.ts'

/** Heartbeat interval of nodes in tests. */
export const HEARTBEAT_MS = 100

/** Nodes of one service, all joined. */
export interface OpenNodes extends AsyncDisposable {
  readonly harness: ClusterHarness
  readonly nodes: readonly Backend[]
  /** Opens another node. */
  add(changes?: Partial<ClusterOptions>): Promise<Backend>
}

export async function openNodes(count: number): Promise<OpenNodes> {
  const stack = new AsyncDisposableStack()
  const harness = stack.use(await openClusterHarness())
  const nodes: Backend[] = []
  const add = async (changes: Partial<ClusterOptions> = {}): Promise<Backend> => {
    const options = { ...harness.options, nodeHeartbeatMs: HEARTBEAT_MS, ...changes }
    const node = stack.use(await openClusterBackend(options))
    await node.nodes.join({ version: '0.0.0', role: 'all' })
    nodes.push(node)
    return node
  }
  for (let opened = 0; opened < count; opened++) await add()
  return { harness, nodes, add, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

/** Resolves when each of these nodes sees all of them. */
export function untilConnected(nodes: readonly Backend[]): Promise<void> {
  return eventually(() => {
    for (const { nodes: each } of nodes)
      expect(each.current.filter(({ isAlive }) => isAlive)).toHaveLength(nodes.length)
  })
}
