import { describe, expect, test } from 'vitest'
import { run } from '../../release/command.ts'
import { nodeOf } from '../../release/nodes.ts'
import { readManifest, ROOT } from '../../release/packages.ts'

/** Does what `npm ci` does until it would change something. Resolves with its warnings. */
async function warnings(line: 20 | 22, ...args: readonly string[]): Promise<string> {
  const node = await nodeOf(line)
  const { stderr } = await run('npm', ['ci', '--dry-run', ...args], { cwd: ROOT, node })
  return stderr
}

describe.for([20, 22] as const)('npm ci with Node %d', (line) => {
  test('prints no warning', { timeout: 300_000 }, async () => {
    expect(await warnings(line)).toBe('')
  })

  test('prints on request which packages want another Node than that of the system', async () => {
    expect(await warnings(line, '--loglevel', 'warn')).toMatch(/EBADENGINE .*'@hookline\/server@/)
  })
})

test('a clone needs an older Node than the service, which its users are told', () => {
  const engines = ['', 'packages/cli', 'packages/server'].map((folder) => {
    const { engines: needed } = readManifest(ROOT + folder) as { engines?: { node: string } }
    return needed?.node
  })
  expect(engines).toEqual(['>=20', '>=24', '>=24'])
})
