import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { LIBRARY } from '../src/calls/analytics-calls.ts'
import { bundledBytes } from '@hookline/testing/client/bundle'

const ROOT = new URL('../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8')
const sources = readdirSync(new URL('src/', ROOT), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => [name, read(`src/${name}`)] as const)
const manifest = JSON.parse(read('package.json')) as {
  readonly name: string
  readonly version: string
  readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly dependencies: object
}

describe('the package', () => {
  test('sends its name and version in context.library', () => {
    expect(LIBRARY).toEqual({ name: manifest.name, version: manifest.version })
  })

  test('has no runtime dependency outside this workspace', () => {
    expect(manifest.dependencies).toEqual({ '@hookline/protocol': '0.1.0' })
  })

  test('lists types before code, for every entry point', () => {
    for (const conditions of Object.values(manifest.exports)) {
      expect(Object.keys(conditions)).toEqual(['hookline-source', 'types', 'default'])
    }
  })

  test('imports nothing specific to Node', () => {
    for (const [name, text] of sources) {
      const imported = [...text.matchAll(/from '([^']+)'/g)].map(([, from]) => from!)
      const foreign = imported.filter((from) => !from.startsWith('.'))
      expect(new Set(['@hookline/protocol', ...foreign]), name).toEqual(
        new Set(['@hookline/protocol']),
      )
      expect(text, name).not.toMatch(/\bBuffer\b|\brequire\(/)
    }
  })

  test('describes every option in its README', () => {
    const readme = read('README.md')
    const options = [...read('src/client-options.ts').matchAll(/^  readonly (\w+)\?/gm)]
    expect(options.length).toBeGreaterThan(15)
    for (const [, name] of options) {
      expect(readme).toMatch(new RegExp(`^\\|.*\`${name!}\`.*\\|.*\\|.*\\|$`, 'm'))
    }
  })

  test('is at most 8.5 kB, bundled with the protocol code it uses, minified and compressed', async () => {
    const bytes = await bundledBytes('index')
    expect(bytes).toBeLessThanOrEqual(8_500)
    expect(bytes).toBeGreaterThan(3_000)
  })

  test('lets a receiver import verify without the rest of the client', async () => {
    expect(await bundledBytes('verify')).toBeLessThanOrEqual(1_200)
  })
})
