import { execFileSync } from 'node:child_process'
import { describe, expect, it, vi } from 'vitest'
import { clusterIsMissing } from '@hookline/testing/cluster/cluster-servers'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { Hookline } from '@hookline/testing/cli/hookline'

interface Part {
  readonly name: string
  readonly pid: number
}

interface Ready {
  readonly nodes: readonly (Part & { readonly url: string })[]
  readonly servers: readonly Part[]
  readonly writeKey: string
  readonly destinationId: string
}

/** Six processes start, on a machine that may run other tests. */
const STARTED = { timeout: 60_000, interval: 50 }
/** Longer than claims last, and than a node waits for the ack of another one. */
const DRAINED = { timeout: 90_000, interval: 100 }

const ARGS = ['cluster', '--port', '0', '--json', '--data-dir']

describe.skipIf(clusterIsMissing() !== undefined)('hookline cluster', { timeout: 240_000 }, () => {
  it('runs three nodes, starts again whatever is killed, and delivers all that got a 200', async () => {
    using folder = new TemporaryFolder()
    await using run = new Hookline([...ARGS, folder.path])
    const ready = await readyOf(run)
    expect(ready.nodes.map(({ name }) => name)).toEqual(['node 1', 'node 2', 'node 3'])
    const load = new Calls(ready)
    for (const { name, pid } of [ready.nodes[1]!, ...ready.servers]) {
      await load.accepted(20)
      process.kill(pid, 'SIGKILL')
      await vi.waitFor(() => expect(restarted(run, name)).toBe(true), STARTED)
      expect(run.stdout).toContain(`"name":"${name}","pid":${pid},"how":"by SIGKILL"`)
    }
    await load.accepted(20)
    const sent = await load.end()
    expect(sent.size).toBeGreaterThanOrEqual(80)
    await vi.waitFor(
      () => expect([...sent].filter((id) => !delivered(run).has(id))).toEqual([]),
      DRAINED,
    )
    run.signal('SIGTERM')
    expect(await run.exit()).toBe(0)
    expect(processesOf(folder.path)).toEqual([])
  })

  it('goes on with the same source after a stop, and ends what a kill of it has left', async () => {
    using folder = new TemporaryFolder()
    await using killed = new Hookline([...ARGS, folder.path, '--nodes', '1'])
    const first = await readyOf(killed)
    killed.signal('SIGKILL')
    await killed.exit()
    expect(processesOf(folder.path).length).toBeGreaterThan(0)
    await using run = new Hookline([...ARGS, folder.path, '--nodes', '1'])
    const second = await readyOf(run)
    expect(run.stderr).toContain('An earlier run was killed.')
    const pids = [...second.nodes, ...second.servers].map(({ pid }) => pid)
    expect(new Set(processesOf(folder.path))).toEqual(new Set(pids))
    expect(second.writeKey).toBe(first.writeKey)
    expect(second.destinationId).toBe(first.destinationId)
    await using other = new Hookline([...ARGS, folder.path])
    expect(await other.exit()).toBe(1)
    expect(other.stderr).toContain('data_dir_in_use')
    run.signal('SIGINT')
    expect(await run.exit()).toBe(0)
    expect(processesOf(folder.path)).toEqual([])
  })

  it('shows no secret of its servers, neither in its output nor in the arguments of a process', async () => {
    using folder = new TemporaryFolder()
    await using run = new Hookline([
      'cluster',
      '--port',
      '0',
      '--nodes',
      '1',
      '--data-dir',
      folder.path,
    ])
    await vi.waitFor(() => expect(run.stdout).toContain('Press Ctrl-C'), STARTED)
    const shown = run.stdout + run.stderr + argumentsOf(folder.path)
    for (const name of ['postgres-password', 'nats-password', 'encryption-key', 'admin-token']) {
      const secret = execFileSync('cat', [`${folder.path}/${name}`], { encoding: 'utf8' }).trim()
      expect(secret.length).toBeGreaterThan(20)
      expect(shown).not.toContain(secret)
    }
    run.signal('SIGINT')
    expect(await run.exit()).toBe(0)
  })
})

async function readyOf(run: Hookline): Promise<Ready> {
  const lines = (): string[] =>
    run.stdout.split('\n').filter((line) => line.startsWith('{"kind":"ready"'))
  await vi.waitFor(() => expect(lines(), run.stderr).toHaveLength(1), STARTED)
  return JSON.parse(lines()[0]!) as Ready
}

function restarted(run: Hookline, name: string): boolean {
  return run.stdout.split(`"kind":"running","name":"${name}"`).length > 2
}

/** The ids of the messages that arrived. */
function delivered(run: Hookline): Set<unknown> {
  const lines = run.stdout.split('\n').slice(0, -1)
  return new Set(lines.map((line) => (JSON.parse(line) as { messageId?: string }).messageId))
}

/** Calls to each node in turn, one after the other. */
class Calls {
  readonly #ready: Ready
  readonly #accepted = new Set<string>()
  readonly #running: Promise<void>
  #isEnding = false
  #sent = 0

  constructor(ready: Ready) {
    this.#ready = ready
    this.#running = this.#run()
  }

  /** Resolves when this many more calls got a 200. */
  async accepted(more: number): Promise<void> {
    const before = this.#accepted.size
    await vi.waitFor(
      () => expect(this.#accepted.size).toBeGreaterThanOrEqual(before + more),
      STARTED,
    )
  }

  /** Returns the ids of those that got a 200. */
  async end(): Promise<ReadonlySet<string>> {
    this.#isEnding = true
    await this.#running
    return this.#accepted
  }

  async #run(): Promise<void> {
    const { nodes, writeKey } = this.#ready
    const headers = { authorization: `Basic ${btoa(`${writeKey}:`)}` }
    while (!this.#isEnding) {
      const messageId = `m-${++this.#sent}`
      const { url } = nodes[this.#sent % nodes.length]!
      const body = JSON.stringify({ type: 'track', userId: 'u1', event: 'Tried', messageId })
      try {
        const response = await fetch(`${url}/v1/track`, { method: 'POST', headers, body })
        if (response.status === 200) this.#accepted.add(messageId)
      } catch {
        // The node was killed.
      }
    }
  }
}

/** The processes whose arguments name the folder, without their children. */
function processesOf(folder: string): number[] {
  const lines = argumentsOf(folder)
    .split('\n')
    .filter((line) => line !== '')
  return lines
    .filter((line) => !line.includes('hookline.js cluster '))
    .map((line) => Number(line.trim().split(/\s+/)[0]))
}

function argumentsOf(folder: string): string {
  const all = execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' })
  return all
    .split('\n')
    .filter((line) => line.includes(folder))
    .join('\n')
}
