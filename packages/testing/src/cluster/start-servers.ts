import {
  clusterSkipReason,
  DATABASE_VARIABLE,
  NATS_VARIABLE,
  openTemplate,
} from './cluster-servers.ts'
import { NatsServer } from './nats-server.ts'
import { PostgresServer } from './postgres-server.ts'

/**
 * Starts the servers of a cluster for all workers of a run, unless they are running. Reports missing servers once and
 * skips their tests.
 */
export default async function startServers(): Promise<() => Promise<void>> {
  await using stack = new AsyncDisposableStack()
  const missing = clusterSkipReason()
  if (missing !== undefined)
    console.log(`skipped: ${missing} (HOOKLINE_REQUIRE_CLUSTER=1 makes this a failure)`)
  else {
    process.env[DATABASE_VARIABLE] ??= await stack.use(await PostgresServer.start()).newDatabase()
    process.env[NATS_VARIABLE] ??= stack.use(await NatsServer.start()).url
    stack.use(await openTemplate())
  }
  const started = stack.move()
  return () => started.disposeAsync()
}
