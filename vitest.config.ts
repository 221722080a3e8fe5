import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// Hundreds of tests start the service, and with it a thread, each of which would compile the same files again.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(
  new URL('node_modules/.cache/compiled', import.meta.url),
)

const conditions = ['hookline-source', 'node', 'import', 'module', 'default']
const shared = {
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
}
const project = (name: string, include: string[], testTimeout: number, more: object = {}) => ({
  ...shared,
  test: {
    name,
    include,
    testTimeout,
    hookTimeout: 30_000,
    // No module of ours keeps what one test does from another: files share the modules a worker has loaded.
    isolate: false,
    // A condition that comes late on a busy machine has come all the same.
    expect: { poll: { timeout: 10_000 } },
    execArgv: ['--conditions=hookline-source'],
    ...more,
  },
})
// It measures memory and time: no other file beside the one that runs.
const measuring = {
  execArgv: ['--conditions=hookline-source', '--expose-gc'],
  fileParallelism: false,
}

export default defineConfig({
  test: {
    // Most tests wait for sockets and disks: they share a small machine well.
    maxWorkers: '100%',
    projects: [
      project('unit', ['packages/*/test/**/*.test.ts'], 20_000),
      project('system', ['test/{e2e,compat,clients,layers}/**/*.test.ts'], 60_000),
      project('docs', ['test/docs/**/*.test.ts'], 20_000),
      project('package', ['test/package/**/*.test.ts'], 60_000),
      project('client-long', ['test/client-long/**/*.test.ts'], 600_000),
      project('crash', ['test/crash/**/*.test.ts'], 900_000),
      project('engine', ['test/engine/**/*.test.ts'], 240_000, measuring),
    ],
  },
})
