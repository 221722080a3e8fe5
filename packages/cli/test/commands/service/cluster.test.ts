import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { dirname } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { Hookline } from '@hookline/testing/cli/hookline'
import { freePort } from '@hookline/testing/network/free-port'

interface Ready {
  readonly nodes: readonly { readonly pid: number; readonly url: string }[]
  readonly servers: readonly { readonly pid: number }[]
  readonly writeKey: string
  readonly destinationId: string
}

/** The time limit for five processes to start, on a machine that may run other tests. */
const STARTED = { timeout: 60_000, interval: 50 }
/**
 * The time limit for all deliveries: longer than a claim lasts, and longer than a node waits for
 * another node's ack.
 */
const DRAINED = { timeout: 90_000, interval: 100 }
const CALLS = 30

describe.skipIf(clusterSkipReason() !== undefined)('hookline cluster', { timeout: 240_000 }, () => {
  it('delivers every call that got a 200 even if a node is killed, and reuses the data in the next run', async () => {
    using folder = new TemporaryFolder()
    const port = await freePort()
    await using run = cluster(folder, port, '--json')
    const ready = await readyOf(run)
    expect(ready.nodes.map(({ url }) => url)).toEqual(
      [0, 1, 2].map((index) => `http://127.0.0.1:${port + index}`),
    )
    await sendCalls(ready, ready.nodes)
    const [first, killed, last] = ready.nodes
    process.kill(killed!.pid, 'SIGKILL')
    await sendCalls(ready, [first!, last!])
    await vi.waitFor(
      async () => expect(await deliveredAt(last!.url, folder)).toBe(2 * CALLS),
      DRAINED,
    )
    expect(run.stderr).toContain(
      `node-2 exited unexpectedly (SIGKILL). See ${folder.path}/node-2.log.`,
    )
    await using other = cluster(folder, await freePort(), '--json')
    expect(await other.exit()).toBe(1)
    expect(other.stderr).toContain('postmaster.pid')
    run.signal('SIGINT')
    expect(await run.exit()).toBe(0)
    expect(processesOf(folder)).toEqual('')
    await using again = cluster(folder, port, '--json')
    expect(await readyOf(again)).toMatchObject({
      writeKey: ready.writeKey,
      destinationId: ready.destinationId,
    })
    again.signal('SIGTERM')
    expect(await again.exit()).toBe(0)
  })

  it('names the log of a program that does not start, and stops the others', async () => {
    using folder = new TemporaryFolder()
    const port = await freePort()
    const natsPort = createServer().listen(port + 4, '127.0.0.1')
    await once(natsPort, 'listening')
    try {
      await using run = cluster(folder, port)
      expect(await run.exit()).toBe(1)
      expect(run.stderr).toMatch(/^error: nats did not start \(exit code 1\):\n.+in use/s)
      expect(run.stderr).toContain(`See ${folder.path}/nats.log.`)
      expect(processesOf(folder)).toEqual('')
    } finally {
      natsPort.close()
    }
  })

  it('syncs each write, and shows no secret in its output or process arguments', async () => {
    using folder = new TemporaryFolder()
    await using run = cluster(folder, await freePort())
    await vi.waitFor(
      () => expect(run.stdout, run.stderr).toContain('Press Ctrl-C to stop'),
      STARTED,
    )
    expect(fileOf(folder, 'nats.conf')).toContain('"sync_interval":"always"')
    const shown = run.stdout + run.stderr + processesOf(folder)
    for (const name of ['password', 'encryption-key', 'admin-token'])
      expect(shown).not.toContain(fileOf(folder, name))
    run.signal('SIGINT')
    expect(await run.exit()).toBe(0)
  })
})

function cluster({ path }: TemporaryFolder, port: number, ...more: readonly string[]): Hookline {
  const { PATH, HOOKLINE_TEST_NATS_SERVER: nats } = process.env
  const args = ['cluster', '--port', String(port), '--data-dir', path, ...more]
  return new Hookline(args, nats ? { env: { PATH: `${dirname(nats)}:${PATH}` } } : {})
}

async function readyOf(run: Hookline): Promise<Ready> {
  await vi.waitFor(() => expect(run.stdout, run.stderr).toMatch(/^\{"kind":"ready".+\n/), STARTED)
  return JSON.parse(run.stdout.split('\n')[0]!) as Ready
}

/** Sends calls to the nodes in turn, and expects a 200 for each. */
async function sendCalls({ writeKey }: Ready, nodes: Ready['nodes']): Promise<void> {
  const headers = { authorization: `Basic ${btoa(`${writeKey}:`)}` }
  const body = JSON.stringify({ userId: 'u1', event: 'Tried' })
  for (let sent = 0; sent < CALLS; sent++) {
    const { url } = nodes[sent % nodes.length]!
    const response = await fetch(`${url}/v1/track`, { method: 'POST', headers, body })
    expect(response.status).toBe(200)
  }
}

async function deliveredAt(url: string, folder: TemporaryFolder): Promise<number> {
  const headers = { authorization: `Bearer ${fileOf(folder, 'admin-token')}` }
  const response = await fetch(`${url}/api/v1/deliveries?state=delivered&limit=100`, { headers })
  return ((await response.json()) as { data: unknown[] }).data.length
}

function fileOf({ path }: TemporaryFolder, name: string): string {
  return readFileSync(`${path}/${name}`, 'utf8')
}

/** The lines of `ps` that contain the folder, except for the command itself. */
function processesOf({ path }: TemporaryFolder): string {
  const all = execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' }).split('\n')
  const isPart = (line: string): boolean => line.includes(path) && !line.includes(' cluster ')
  return all.filter(isPart).join('\n')
}
