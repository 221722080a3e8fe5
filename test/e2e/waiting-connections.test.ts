import { createLogger, openService, parseConfig } from '@hookline/server'
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

/** Opens connections from another process, and prints how many the kernel established. */
const CLIENT = `
  const [port, count] = process.argv.slice(1).map(Number)
  let established = 0
  for (let i = 0; i < count; i++) {
    require('node:net').connect(port, '127.0.0.1').on('connect', () => established++)
  }
  setTimeout(() => { console.log(established); process.exit() }, 800)
`

/** Node's own default is 511 connections. */
test.each([
  { flags: {}, established: 900 },
  { flags: { maxWaitingConnections: '100' }, established: 101 },
])(
  'with $flags, $established of 900 new connections are queued while the service is busy',
  async ({ flags: given, established }) => {
    using folder = new TemporaryFolder()
    const flags = { ...given, dataDir: folder.path, port: '0', ingestThreads: '0' }
    await using service = await openService({
      config: parseConfig({}, flags),
      logger: createLogger('silent'),
    })
    // The service runs in this thread, so it accepts no connections until the client has exited.
    const { stdout } = spawnSync(process.execPath, ['-e', CLIENT, new URL(service.url).port, '900'])
    expect(Number(stdout.toString())).toBe(established)
  },
)
