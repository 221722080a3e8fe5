import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'
import { CONDITION_MS } from '@hookline/testing/run/condition-ms'
import { LongFilesFirst } from '@hookline/testing/run/long-files-first'
import { OUTPUT } from '@hookline/testing/run/output'

// Hundreds of tests start the service and its threads, which would each recompile the same files.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(
  new URL('node_modules/.cache/compiled', import.meta.url),
)

// Vitest passes them to Node. With `import`, `require` would load a package's ES module.
const conditions = ['hookline-source', 'node']
const shared = {
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
}
/** Tests that compare time, CPU, memory or open files run alone, in the project `measuring`. */
const MEASURING = '**/*.measuring.test.ts'
/** Longer than a condition's timeout, so that the failed condition is reported. */
const TEST_MS = 2 * CONDITION_MS

interface ProjectOptions {
  readonly exclude?: readonly string[]
  readonly [option: string]: unknown
}

const project = (
  name: string,
  include: string[],
  testTimeout: number,
  { exclude = [], ...more }: ProjectOptions = {},
) => ({
  ...shared,
  test: {
    name,
    include,
    exclude: [...configDefaults.exclude, ...(name === 'measuring' ? [] : [MEASURING]), ...exclude],
    testTimeout,
    hookTimeout: TEST_MS,
    expect: { poll: { timeout: CONDITION_MS } },
    execArgv: ['--conditions=hookline-source'],
    ...more,
  },
})
// Our modules have no visible state, so the test files of a worker share them.
const sharing = { isolate: false }
// Tests that run `hookline` in many separate processes, some with older releases of Node from npm.
const COMMANDS = [
  'packages/cli/test/commands/**/*.test.ts',
  'packages/cli/test/bin.test.ts',
  'test/older-nodes/*.test.ts',
]
// Tests of each backend: corrupted files, migrations, large databases, server outages.
const BACKENDS = ['packages/server/test/backend/*/**/*.test.ts']
// The port test suites, run by every backend.
const CONFORMANCE = [
  'packages/server/test/backend/embedded/{conformance,joined-conformance}.test.ts',
  'packages/server/test/backend/cluster/{audit,audited-changes,catalog,deletions,deliveries,evaluations,events,idempotent-responses,jetstream,memberships,notices,own-keys,profiles,signals,statistics,suppressions,tokens,upkeep}.test.ts',
]
// Tests that take five seconds or more, because they restart a service repeatedly, wait for retries, or compare every
// example.
const SERVICE = [
  'test/e2e/{alerts,audience-names,audiences,backup,clone,decisions,deletions,delivery-requests,examples,failures,filters,inspector,log-lines,odd-ids,planted-conditions,planted-corruption,push,receiver-authentication,restarts,several-webhooks,shaped-events,signatures,start-page,timestamps,traces,transforms}.test.ts',
  'test/e2e/references/*.test.ts',
  'packages/server/test/admin/sessions/*.test.ts',
  'packages/server/test/delivery/{each-webhook,health/outage,network/forbidden-everywhere,parking/pause}.test.ts',
  'packages/server/test/engine/lane-threads/*.test.ts',
  'packages/server/test/http/unread-responses.test.ts',
  'packages/server/test/threads/thread-host.test.ts',
  'packages/server/test/upkeep/retention.test.ts',
]
// Several nodes of one service.
const NODES = ['test/e2e/nodes/*.test.ts']
// From test/e2e, on the cluster: ingestion, storage, decisions, delivery, deletion, audiences and restarts.
// The other tests there need no cluster: files and threads of the embedded backend (backup, clone, ingest-threads,
// secrets-nowhere), ports, pages and sockets (admin-port, foreign-hosts, ports, start-page, waiting-connections), webhook
// connections (certificates, egress-proxy), log lines (log-lines), the example programs (examples), and request and
// response formats (generated-client, openapi, problems, references).
const CLUSTER_E2E = [
  'test/e2e/{alerts,audience-names,audiences,decisions,deletions,delivery-requests,destination-changes,destination-test}.test.ts',
  'test/e2e/{duplicates,failures,filters,inspector,stored-responses,limits,odd-ids,openapi-fuzz,overview,pause-and-replay,payloads,planted-conditions,push,receiver-authentication}.test.ts',
  'test/e2e/{restarts,same-bytes,secret-rotation,several-webhooks,shaped-events,signatures,timestamps,traces,transforms}.test.ts',
  ...NODES,
]
// Client libraries of other projects, in separate processes.
const LIBRARIES = ['test/compat/libraries/*/*.test.ts']
/** Servers shared by the cluster tests. */
const CLUSTER_SERVERS = 'packages/testing/src/cluster/start-servers.ts'
const onCluster = {
  ...sharing,
  env: { HOOKLINE_TEST_BACKEND: 'cluster' },
  globalSetup: CLUSTER_SERVERS,
  runner: './packages/testing/src/run/cluster-runner.ts',
}
// Hundreds of random audience cases; `npm test` runs a few.
const MANY_CASES = 'packages/server/test/audiences/random/many-cases.test.ts'
// Generative tests. `npm test` runs a tenth of the cases.
const GENERATED = [
  'packages/protocol/test/payload.test.ts',
  'packages/server/test/ingest/fuzz.test.ts',
  'test/e2e/openapi-fuzz.test.ts',
]
const manyCases = {
  ...sharing,
  env: { HOOKLINE_TEST_CASES: process.env['HOOKLINE_TEST_CASES'] ?? '10' },
}

// One test of each long suite, shortened to seconds, to check that the suite and the service work.
const SMOKE = [
  'packages/cli/test/commands/service/{demo,start}.test.ts',
  'test/cluster/faults-one-server.test.ts',
  'test/compat/libraries/{browser,go,java,node,python,react-native,rust}/*.test.ts',
  'test/console/get-started.test.ts',
  'test/crash/kill.test.ts',
  'test/deploy/image.test.ts',
  'test/pages/pages.test.ts',
  'test/receivers/receivers.test.ts',
  'test/torture/{corruption,corruption/reported}.test.ts',
]
const SMOKE_FORM = {
  HOOKLINE_TEST_CORRUPTIONS: '6',
  HOOKLINE_TEST_FAULTS: '8',
  HOOKLINE_TEST_KILLS: '6',
  HOOKLINE_TEST_PAGES: 'README.md',
  HOOKLINE_TEST_SHORT: '1',
  HOOKLINE_TEST_SMOKE: '1',
}

export default defineConfig({
  test: {
    // Most tests wait for sockets and disks, so an extra worker keeps the cores busy.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongFilesFirst },
    ...OUTPUT,
    projects: [
      project('unit', ['packages/*/test/**/*.test.ts'], TEST_MS, {
        ...sharing,
        exclude: [...COMMANDS, ...BACKENDS, ...SERVICE, MANY_CASES],
      }),
      project('system', ['test/{e2e,compat,clients,layers}/**/*.test.ts'], TEST_MS, {
        ...sharing,
        env: { HOOKLINE_TEST_THREADS: process.env['HOOKLINE_TEST_THREADS'] ?? '0' },
        exclude: [...SERVICE, ...NODES, ...LIBRARIES],
      }),
      project('service', SERVICE, TEST_MS, sharing),
      project('conformance', CONFORMANCE, TEST_MS, { ...sharing, globalSetup: CLUSTER_SERVERS }),
      project('backends', BACKENDS, TEST_MS, {
        ...sharing,
        globalSetup: CLUSTER_SERVERS,
        exclude: CONFORMANCE,
      }),
      project('smoke', SMOKE, 900_000, { env: SMOKE_FORM }),
      project('cli', COMMANDS, TEST_MS, sharing),
      project('fuzz', GENERATED, 240_000, manyCases),
      project('receivers', ['test/receivers/**/*.test.ts'], TEST_MS, sharing),
      // Libraries spend nearly all their time waiting for intervals and retries.
      project('compat', LIBRARIES, 180_000, { ...sharing, maxConcurrency: 2 }),
      project('docs', ['test/docs/**/*.test.ts'], TEST_MS, sharing),
      project('pages', ['test/pages/**/*.test.ts'], 600_000, sharing),
      project('package', ['test/package/**/*.test.ts'], TEST_MS),
      project('site', ['test/site/**/*.test.ts'], TEST_MS),
      project('console', ['test/console/**/*.test.ts'], TEST_MS),
      // Not tests: they take the docs' screenshots.
      project('shots', ['test/console/shots/**/*.shots.ts'], 600_000, { fileParallelism: false }),
      project('client-long', ['test/client-long/**/*.test.ts'], 600_000),
      project('client-go', ['test/client-go/**/*.test.ts'], TEST_MS, sharing),
      project('crash', ['test/crash/**/*.test.ts'], 900_000),
      project('cluster', ['test/cluster/**/*.test.ts'], 1_800_000),
      project('cluster-e2e', CLUSTER_E2E, TEST_MS, onCluster),
      // On a simulated clock, or checking the outcome of every event.
      project('engine', ['test/engine/**/*.test.ts', MANY_CASES], 240_000),
      project('measuring', [`packages/*/test/${MEASURING}`, `test/${MEASURING}`], 240_000, {
        env: { HOOKLINE_TEST_DISK: '1' },
        execArgv: ['--conditions=hookline-source', '--expose-gc'],
        fileParallelism: false,
        // After the tests of all other projects.
        sequence: { groupOrder: 1 },
      }),
      // Builds an image, and runs the deployment as an operator would.
      project('deploy', ['test/deploy/**/*.test.ts'], 300_000),
      project('torture', ['test/torture/**/*.test.ts'], 3_600_000, { fileParallelism: false }),
    ],
  },
})
