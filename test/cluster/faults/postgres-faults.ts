import { type FaultKind, type Scene, waitWhileAway } from './fault.ts'

export const POSTGRES_FAULTS: readonly FaultKind[] = [
  { name: 'PostgreSQL is killed', weight: 4, happen: killPostgres },
  {
    name: 'PostgreSQL is restarted (fast)',
    weight: 2,
    happen: (scene) => restart(scene, 'SIGINT'),
  },
  {
    name: 'PostgreSQL is restarted (immediate)',
    weight: 2,
    happen: (scene) => restart(scene, 'SIGQUIT'),
  },
  { name: 'PostgreSQL ends all connections', weight: 2, happen: endConnections },
  {
    name: 'PostgreSQL is killed, with synchronous_commit=off for the server and the role',
    weight: 1,
    happen: killUnsynced,
  },
  { name: 'another program locks the archive', weight: 1, happen: lockArchive },
]

async function killPostgres(scene: Scene): Promise<void> {
  const { server } = scene.cluster.postgres
  await server.kill()
  await waitWhileAway(scene)
  await server.start()
}

async function restart(scene: Scene, signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
  const { server } = scene.cluster.postgres
  await server.stop(signal)
  await server.start()
}

async function endConnections({ cluster }: Scene): Promise<void> {
  await cluster.sql(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'hookline'",
  )
}

/** Each connection must request `synchronous_commit`, against the server's default. */
async function killUnsynced(scene: Scene): Promise<void> {
  await scene.cluster.sql('ALTER SYSTEM SET synchronous_commit = off')
  await scene.cluster.sql('ALTER ROLE hookline SET synchronous_commit = off')
  await scene.cluster.sql('SELECT pg_reload_conf()')
  await endConnections(scene)
  await waitWhileAway(scene)
  await killPostgres(scene)
  await scene.cluster.sql('ALTER SYSTEM RESET synchronous_commit')
  await scene.cluster.sql('ALTER ROLE hookline RESET synchronous_commit')
  await scene.cluster.sql('SELECT pg_reload_conf()')
}

async function lockArchive(scene: Scene): Promise<void> {
  await scene.cluster.withLock('events', () => waitWhileAway(scene))
}
