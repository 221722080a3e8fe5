import { setTimeout as sleep } from 'node:timers/promises'
import { type FaultKind, type Scene, waitWhileAway } from './fault.ts'

const HOUR_MS = 60 * 60 * 1000

/** Faults in Hookline's processes. */
export const NODE_FAULTS: readonly FaultKind[] = [
  { name: 'a node is killed', weight: 6, happen: killNode },
  { name: 'all nodes are killed', weight: 2, happen: killAll },
  { name: 'a node stops gracefully', weight: 3, happen: stopNode },
  {
    name: 'a node is paused',
    weight: 3,
    happen: (scene) => pauseNode(scene, () => waitWhileAway(scene)),
  },
  {
    name: 'a node is paused for longer than its leases last',
    weight: 1,
    happen: (scene) => pauseNode(scene, () => sleep(scene.beyondLeasesMs)),
  },
  { name: 'the clock of a node is set forward by an hour', weight: 1, happen: setClock(HOUR_MS) },
  { name: 'the clock of a node is set back by an hour', weight: 1, happen: setClock(-HOUR_MS) },
]

async function killNode(scene: Scene): Promise<void> {
  const node = scene.oneNode()
  await node.kill()
  await waitWhileAway(scene)
  node.startAgain()
  await node.ready()
}

async function killAll({ cluster: { nodes } }: Scene): Promise<void> {
  await Promise.all(nodes.map((node) => node.kill()))
  for (const node of nodes) node.startAgain()
  await Promise.all(nodes.map((node) => node.ready()))
}

async function stopNode({ oneNode }: Scene): Promise<void> {
  const node = oneNode()
  await node.stop()
  node.startAgain()
  await node.ready()
}

async function pauseNode({ oneNode }: Scene, meanwhile: () => Promise<void>): Promise<void> {
  const node = oneNode()
  node.signal('SIGSTOP')
  try {
    await meanwhile()
  } finally {
    node.signal('SIGCONT')
  }
}

function setClock(aheadMs: number): FaultKind['happen'] {
  return async (scene) => {
    const node = scene.oneNode()
    node.setClock(aheadMs)
    try {
      await waitWhileAway(scene)
    } finally {
      node.setClock(0)
    }
  }
}
