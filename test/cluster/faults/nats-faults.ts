import { expect } from 'vitest'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { NatsNode, NatsServers } from '@hookline/testing/cluster/nats-servers'
import { away, type FaultKind, oneOf, type Scene } from './fault.ts'

/** Faults of NATS. */
export const NATS_FAULTS: readonly FaultKind[] = [
  { name: 'NATS is killed', weight: 4, natsServers: 1, happen: killAll },
  { name: 'all NATS servers are killed', weight: 2, natsServers: 3, happen: killAll },
  {
    name: 'the NATS server that leads the log is killed',
    weight: 3,
    natsServers: 3,
    happen: async (scene) => killOne(scene, await leaderOf(scene)),
  },
  {
    name: 'a NATS server that follows is killed',
    weight: 2,
    natsServers: 3,
    happen: async (scene) => killOne(scene, await followerOf(scene)),
  },
  {
    name: 'the NATS server that leads the log is paused',
    weight: 2,
    natsServers: 3,
    happen: async (scene) => pauseOne(scene, await leaderOf(scene)),
  },
  { name: 'a NATS server stops gracefully', weight: 2, happen: stopOne },
  { name: 'the disk quota of NATS is full', weight: 1, happen: fillQuota },
  { name: 'the log has a message that no node can read', weight: 1, happen: appendUnreadable },
  {
    name: 'bits of a NATS server that follows have changed',
    weight: 1,
    natsServers: 3,
    happen: async (scene) => changeBits(scene, await followerOf(scene)),
  },
  { name: 'a node of another installation starts', weight: 1, happen: startStranger },
]

async function killAll(scene: Scene): Promise<void> {
  const { all } = scene.cluster.nats
  await Promise.all(all.map(({ server }) => server.kill()))
  await away(scene)
  await Promise.all(all.map(({ server }) => server.start()))
}

async function killOne(scene: Scene, { server }: NatsNode): Promise<void> {
  await server.kill()
  await away(scene)
  await server.start()
}

async function pauseOne(scene: Scene, { server }: NatsNode): Promise<void> {
  server.signal('SIGSTOP')
  try {
    await away(scene)
  } finally {
    server.signal('SIGCONT')
  }
}

async function stopOne({ cluster, random }: Scene): Promise<void> {
  const { server } = oneOf(cluster.nats.all, random)
  await server.stop()
  await server.start()
}

async function leaderOf({ cluster, random }: Scene): Promise<NatsNode> {
  const { all } = cluster.nats
  const stream = await cluster.stream()
  return all.find(({ name }) => name === stream.cluster?.leader) ?? oneOf(all, random)
}

async function followerOf(scene: Scene): Promise<NatsNode> {
  const leader = await leaderOf(scene)
  return oneOf(
    scene.cluster.nats.all.filter((each) => each !== leader),
    scene.random,
  )
}

/** Every node goes on, and one of them puts the message into the quarantine. */
async function appendUnreadable({ cluster, random }: Scene): Promise<void> {
  const quarantined = async (): Promise<number> =>
    (await cluster.sql('SELECT id FROM quarantine')).length
  const before = await quarantined()
  const { config } = await cluster.stream()
  const subject = config.subjects[0]!.replace('*', '0')
  const content = Buffer.from(Array.from({ length: 100 }, () => Math.floor(256 * random())))
  await cluster.nats.with((_, connection) => connection.request(subject, content))
  await expect.poll(quarantined, { timeout: READY_MS, interval: 200 }).toBeGreaterThan(before)
}

/** In the files of messages, which its disk has changed while it was off. The other servers have them whole. */
async function changeBits(scene: Scene, { name, server }: NatsNode): Promise<void> {
  const { random, cluster } = scene
  await server.kill()
  await away(scene)
  const folder = join(cluster.nats.folder, name)
  const blocks = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.blk'))
    .map((path) => join(folder, path))
  for (const path of blocks) {
    const content = readFileSync(path)
    if (content.length === 0) continue
    content[Math.floor(content.length * random())]! ^= 1 << Math.floor(8 * random())
    writeFileSync(path, content)
  }
  await server.start()
}

/** By mistake, with the same servers of NATS and the same prefix. It is refused before it takes a message. */
async function startStranger({ cluster }: Scene): Promise<void> {
  expect(await cluster.refusalOfStranger()).toContain('belongs to installation')
}

const FILLER = 'filler'
const FILL_BYTES = 512 * 1024
const STORED_MS = 5_000
const READY_MS = 60_000

/** Another program on the same servers stores until they refuse more, and removes it after a while. */
async function fillQuota(scene: Scene): Promise<void> {
  const { nats } = scene.cluster
  const config = { name: FILLER, subjects: [FILLER], num_replicas: nats.all.length }
  await nats.with(async (manager, connection) => {
    // A server that the fault before has killed may still count as away.
    const isMade = (): Promise<boolean> =>
      manager.streams.add(config).then(
        () => true,
        () => false,
      )
    await expect.poll(isMade, { timeout: READY_MS, interval: 500 }).toBe(true)
    const block = Buffer.alloc(FILL_BYTES)
    const isStored = (): Promise<boolean> =>
      connection.request(FILLER, block, { timeout: STORED_MS }).then(
        (reply) => !('error' in reply.json<object>()),
        () => false,
      )
    while (await isStored()) continue
  })
  await away(scene)
  // Servers that have no room elect other leaders: until then, they do not respond.
  await expect.poll(() => isWithoutFiller(nats), { timeout: READY_MS, interval: 500 }).toBe(true)
}

function isWithoutFiller(nats: NatsServers): Promise<boolean> {
  return nats
    .with(async (manager) => {
      const names = await manager.streams.names().next()
      if (names.includes(FILLER)) await manager.streams.delete(FILLER)
      return true
    })
    .catch(() => false)
}
