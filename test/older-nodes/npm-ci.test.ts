import { describe, expect, test } from 'vitest'
import { run } from '../../release/command.ts'
import { nodeOf } from '../../release/nodes.ts'
import { readManifest, ROOT } from '../../release/packages.ts'

/** Runs `npm ci` without changing anything. Resolves with its warnings. */
async function warnings(line: 20 | 22, ...args: readonly string[]): Promise<string> {
  const node = await nodeOf(line)
  const { stderr } = await run('npm', ['ci', '--dry-run', ...args], { cwd: ROOT, node })
  return stderr
}

describe.for([20, 22] as const)('npm ci with Node %d', (line) => {
  test('prints no warning', { timeout: 300_000 }, async () => {
    expect(await warnings(line)).toBe('')
  })

  test('lists the packages that need a different Node when log level warn is set', async () => {
    expect(await warnings(line, '--loglevel', 'warn')).toMatch(/EBADENGINE .*'@hookline\/server@/)
  })
})

test('a clone accepts an older Node than the published packages', () => {
  const engines = ['', 'packages/cli', 'packages/server'].map((folder) => {
    const { engines: needed } = readManifest(ROOT + folder) as { engines?: { node: string } }
    return needed?.node
  })
  expect(engines).toEqual(['>=20', '>=24', '>=24'])
})
