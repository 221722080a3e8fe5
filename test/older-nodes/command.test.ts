import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { nodeOf } from '../../release/nodes.ts'
import { ROOT } from '../../release/packages.ts'

const OLDER = [18, 20, 22] as const

// The first run installs the older Node releases from npm.
beforeAll(async () => {
  for (const line of OLDER) await nodeOf(line)
}, 300_000)

describe.for(OLDER)('the hookline executable, run with Node %d', (line) => {
  test('runs in a clone with the Node that npm ci installed', async () => {
    for (const bin of ['packages/cli/bin/hookline.js', 'node_modules/.bin/hookline']) {
      const { code, stdout } = await run(line, join(ROOT, bin), ['version', '--json'])
      expect(code).toBe(0)
      expect(JSON.parse(stdout)).toMatchObject({ node: process.version })
    }
  })

  test('exits with the code of the command that it runs', async () => {
    const { code, stderr } = await run(line, join(ROOT, 'node_modules/.bin/hookline'), ['sned'])
    expect(code).toBe(2)
    expect(stderr).toContain('Did you mean send?')
  })

  test('explains what to do in a clone without Node 24, such as after npm ci --omit=dev', async () => {
    using clone = new TemporaryFolder()
    const bin = copyOfBin(clone.path)
    mkdirSync(join(clone.path, 'packages/cli/src'))
    writeFileSync(join(clone.path, 'packages/cli/src/main.ts'), '')
    const { code, stdout, stderr } = await run(line, bin, ['start'])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(
      new RegExp(`^error: Hookline needs Node 24 or newer; this is v${line}\\.`),
    )
    expect(stderr).toContain('Run `npm ci` in this clone: it also installs Node 24')
    expect(stderr).toContain('get Node 24 from https://nodejs.org')
  })

  test('explains what to do if it is installed as a package', async () => {
    using folder = new TemporaryFolder()
    const { code, stdout, stderr } = await run(line, copyOfBin(folder.path), ['start'])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(
      new RegExp(
        `^error: Hookline needs Node 24 or newer; this is v${line}\\.[^]*\\n  Install Node 24 from https://nodejs\\.org\\.\\n$`,
      ),
    )
    expect(stderr).not.toContain('clone')
  })
})

test('a clone with an outdated node package reports an error, and does not restart itself endlessly', async () => {
  using clone = new TemporaryFolder()
  const bin = copyOfBin(clone.path)
  cpSync(join(ROOT, 'packages/cli/src'), join(clone.path, 'packages/cli/src'), {
    recursive: true,
  })
  mkdirSync(join(clone.path, 'node_modules/node/bin'), { recursive: true })
  symlinkSync(await nodeOf(22), join(clone.path, 'node_modules/node/bin/node'))
  const { code, stderr } = await run(20, bin, ['version'])
  expect(code).toBe(1)
  expect(stderr).toContain('Hookline needs Node 24 or newer; this is v22.')
  expect(stderr.match(/error:/g)).toHaveLength(1)
})

test.for([
  ['SIGINT', [0, null]],
  ['SIGTERM', [0, null]],
  // Not handled by any command, so the process is killed.
  ['SIGHUP', [null, 'SIGHUP']],
] as const)(
  'a service started by an older Node in a clone receives its %s, and exits with %j',
  async ([signal, end]) => {
    using data = new TemporaryFolder()
    const args = ['start', '--port', '0', '--data-dir', data.path]
    const bin = join(ROOT, 'packages/cli/bin/hookline.js')
    const child = spawn(await nodeOf(20), [bin, ...args], { env: {} })
    let log = ''
    const closed = once(child, 'close')
    await new Promise<void>((resolve) => {
      child.once('close', resolve)
      child.stderr.on('data', (text: Buffer) => {
        log += text.toString()
        if (log.includes('service.listening')) resolve()
      })
    })
    child.kill(signal)
    expect(await closed, log).toEqual(end)
    expect(log.includes('service.stopping')).toBe(signal !== 'SIGHUP')
  },
)

test.for([
  ['open', 'exec "$0" "$@"'],
  ['closed', 'exec "$0" "$@" <&-'],
] as const)(
  'a service stops when the older Node that started it is killed, with stdin %s',
  async ([, command]) => {
    using data = new TemporaryFolder()
    const args = ['start', '--port', '0', '--data-dir', data.path]
    const bin = join(ROOT, 'packages/cli/bin/hookline.js')
    const child = spawn('/bin/sh', ['-c', command, await nodeOf(20), bin, ...args], {
      env: {},
      stdio: ['pipe', 'ignore', 'pipe'],
    })
    let log = ''
    child.stderr.on('data', (text: Buffer) => (log += text.toString()))
    // The service inherits stderr, so `close` means that it has exited.
    const serviceEnded = once(child.stderr, 'close')
    await vi.waitFor(() => expect(log).toContain('service.listening'), { timeout: 30_000 })
    child.kill('SIGKILL')
    await serviceEnded
    expect(log).toContain('service.stopped')
  },
)

/** A copy of the executable without the code that it runs. */
function copyOfBin(folder: string): string {
  const bin = join(folder, 'packages/cli/bin')
  cpSync(join(ROOT, 'packages/cli/bin'), bin, { recursive: true })
  writeFileSync(join(folder, 'packages/cli/package.json'), '{"type": "module"}')
  return join(bin, 'hookline.js')
}

interface Run {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

async function run(line: (typeof OLDER)[number], bin: string, args: string[]): Promise<Run> {
  const node = await nodeOf(line)
  return new Promise((resolve) => {
    execFile(node, [bin, ...args], { env: {} }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    )
  })
}
