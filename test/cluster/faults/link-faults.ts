import { setTimeout as sleep } from 'node:timers/promises'
import type { LinkCut, Link } from '@hookline/testing/cluster/link'
import type { Node } from '../node.ts'
import { type FaultKind, oneOf, type Scene, waitWhileAway } from './fault.ts'

/** Network faults between the nodes and their servers. */
export const LINK_FAULTS: readonly FaultKind[] = [
  {
    name: 'a node is cut off from PostgreSQL',
    weight: 2,
    happen: (scene) => cutOne(scene, 'both', ({ links }) => [links.postgres]),
  },
  {
    name: 'a node receives nothing from PostgreSQL',
    weight: 1,
    happen: (scene) => cutOne(scene, 'back', ({ links }) => [links.postgres]),
  },
  {
    name: 'PostgreSQL receives nothing from a node',
    weight: 1,
    happen: (scene) => cutOne(scene, 'there', ({ links }) => [links.postgres]),
  },
  {
    name: 'a node is cut off from NATS',
    weight: 2,
    happen: (scene) => cutOne(scene, 'both', ({ links }) => links.nats),
  },
  {
    name: 'a node receives nothing from NATS',
    weight: 1,
    happen: (scene) => cutOne(scene, 'back', ({ links }) => links.nats),
  },
  {
    name: 'NATS receives nothing from a node',
    weight: 1,
    happen: (scene) => cutOne(scene, 'there', ({ links }) => links.nats),
  },
  {
    name: 'a node is cut off from PostgreSQL and NATS for longer than its leases last',
    weight: 1,
    happen: (scene) =>
      cutLinks(linksOf(scene.oneNode()), 'both', () => sleep(scene.beyondLeasesMs)),
  },
  {
    name: 'a NATS server is cut off from the others',
    weight: 2,
    natsServers: 3,
    happen: (scene) => isolate(scene, ['both', 'both']),
  },
  {
    name: 'a NATS server receives nothing from the others',
    weight: 1,
    natsServers: 3,
    happen: (scene) => isolate(scene, ['back', 'there']),
  },
  {
    name: 'the others receive nothing from a NATS server',
    weight: 1,
    natsServers: 3,
    happen: (scene) => isolate(scene, ['there', 'back']),
  },
]

/** Cuts the routes that one NATS server has opened to the others, and theirs to it. */
async function isolate(scene: Scene, [own, others]: readonly [LinkCut, LinkCut]): Promise<void> {
  const { routes, routesHere } = oneOf(scene.cluster.nats.all, scene.random)
  const restored = waitWhileAway(scene)
  await Promise.all([
    cutLinks(routes, own, () => restored),
    cutLinks(routesHere, others, () => restored),
  ])
}

function linksOf({ links }: Node): readonly Link[] {
  return [links.postgres, ...links.nats]
}

function cutOne(scene: Scene, cut: LinkCut, of: (node: Node) => readonly Link[]): Promise<void> {
  return cutLinks(of(scene.oneNode()), cut, () => waitWhileAway(scene))
}

async function cutLinks(
  links: readonly Link[],
  cut: LinkCut,
  meanwhile: () => Promise<void>,
): Promise<void> {
  for (const link of links) link.cut(cut)
  try {
    await meanwhile()
  } finally {
    for (const link of links) link.repair()
  }
}
