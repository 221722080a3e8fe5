import { expect } from 'vitest'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { NatsNode, NatsServers } from '@hookline/testing/cluster/nats-servers'
import { type FaultKind, oneOf, type Scene, waitWhileAway } from './fault.ts'

export const NATS_FAULTS: readonly FaultKind[] = [
  { name: 'NATS is killed', weight: 4, natsServers: 1, happen: killAll },
  { name: 'all NATS servers are killed', weight: 2, natsServers: 3, happen: killAll },
  {
    name: 'the NATS leader of the log is killed',
    weight: 3,
    natsServers: 3,
    happen: async (scene) => killOne(scene, await leaderOf(scene)),
  },
  {
    name: 'a NATS follower is killed',
    weight: 2,
    natsServers: 3,
    happen: async (scene) => killOne(scene, await followerOf(scene)),
  },
  {
    name: 'the NATS leader of the log is paused',
    weight: 2,
    natsServers: 3,
    happen: async (scene) => pauseOne(scene, await leaderOf(scene)),
  },
  {
    name: 'all NATS servers lose power',
    weight: 2,
    cutsPower: true,
    happen: (scene) => cutPower(scene, scene.cluster.nats.all),
  },
  {
    name: 'a NATS server loses power',
    weight: 1,
    natsServers: 3,
    cutsPower: true,
    happen: (scene) => cutPower(scene, [oneOf(scene.cluster.nats.all, scene.random)]),
  },
  { name: 'a NATS server stops gracefully', weight: 2, happen: stopOne },
  { name: 'the disk quota of NATS is full', weight: 1, happen: fillQuota },
  { name: 'the log has an unreadable message', weight: 1, happen: appendUnreadable },
  {
    name: 'the disk of a NATS follower flips bits',
    weight: 1,
    natsServers: 3,
    happen: async (scene) => changeBits(scene, await followerOf(scene)),
  },
  { name: 'a node of another installation starts', weight: 1, happen: startForeignNode },
]

async function killAll(scene: Scene): Promise<void> {
  const { all } = scene.cluster.nats
  await Promise.all(all.map(({ server }) => server.kill()))
  await waitWhileAway(scene)
  await Promise.all(all.map(({ server }) => server.start()))
}

async function killOne(scene: Scene, { server }: NatsNode): Promise<void> {
  await server.kill()
  await waitWhileAway(scene)
  await server.start()
}

/** Kills the servers, which lose their unsynced writes, and starts them again later. */
async function cutPower(scene: Scene, servers: readonly NatsNode[]): Promise<void> {
  await Promise.all(servers.map(({ server }) => server.kill()))
  for (const { folder } of servers) scene.cluster.disks.get(folder)!.cutPower()
  await waitWhileAway(scene)
  await Promise.all(servers.map(({ server }) => server.start()))
}

async function pauseOne(scene: Scene, { server }: NatsNode): Promise<void> {
  server.signal('SIGSTOP')
  try {
    await waitWhileAway(scene)
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

/** Every node continues, and one of them quarantines the message. */
async function appendUnreadable({ cluster, random }: Scene): Promise<void> {
  const quarantined = async (): Promise<number> =>
    (await cluster.sql('SELECT id FROM quarantine')).length
  const before = await quarantined()
  const { config } = await cluster.stream()
  const subject = config.subjects[0]!.replace('*', '0')
  const content = Buffer.from(Array.from({ length: 100 }, () => Math.floor(256 * random())))
  await cluster.nats.with((_, connection) =>
    connection.request(subject, content, { timeout: READY_MS }),
  )
  await expect.poll(quarantined, { timeout: READY_MS, interval: 200 }).toBeGreaterThan(before)
}

/** Flips a bit of each message file while the server is down. The other servers have intact copies. */
async function changeBits(scene: Scene, { folder, server }: NatsNode): Promise<void> {
  const { random } = scene
  await server.kill()
  await waitWhileAway(scene)
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

/** A foreign node with the same NATS servers and prefix, refused before it takes a message. */
async function startForeignNode({ cluster }: Scene): Promise<void> {
  expect(await cluster.refusalOfForeignNode()).toContain('belongs to installation')
}

const FILLER = 'filler'
const FILL_BYTES = 512 * 1024
const STORED_MS = 5_000
const READY_MS = 60_000

/** Another program fills the servers' quota and removes its data after a while. */
async function fillQuota(scene: Scene): Promise<void> {
  const { nats } = scene.cluster
  const config = { name: FILLER, subjects: [FILLER], num_replicas: nats.all.length }
  await nats.with(async (manager, connection) => {
    // A server that the previous fault killed may still count as missing.
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
  await waitWhileAway(scene)
  // Full servers elect new leaders, and do not respond until then.
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
