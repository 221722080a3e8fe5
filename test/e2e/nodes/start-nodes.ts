import { expect, onTestFinished } from 'vitest'
import {
  type RunningService,
  type Settings,
  startService,
} from '@hookline/testing/service/running-service'

interface System {
  readonly nodes: readonly ShownNode[]
}

/** A node in the management API. */
export interface ShownNode {
  readonly id: string
  readonly version: string
  readonly role: string
  readonly startedAt: string
  readonly lastSeenAt: string
  readonly isAlive: boolean
  readonly isSelf: boolean
}

/** Starts nodes of one service with one source. Resolves when they see each other. They stop at the end of the test. */
export async function startNodes(
  count: number,
  settings: Settings = {},
): Promise<readonly RunningService[]> {
  const first = await startService({ settings })
  onTestFinished(() => first.discard())
  const nodes = [first]
  while (nodes.length < count) {
    const node = await first.startNode()
    onTestFinished(() => node.discard())
    nodes.push(node)
  }
  for (const node of nodes) await expect.poll(async () => (await nodesOf(node)).length).toBe(count)
  return nodes
}

/** The live nodes according to one of them. */
export async function nodesOf({ api }: RunningService): Promise<readonly ShownNode[]> {
  const { nodes } = await api.call<System>('GET', 'system')
  return nodes.filter(({ isAlive }) => isAlive)
}
