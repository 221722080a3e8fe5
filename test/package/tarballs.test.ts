import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { type Manifest, PACKAGES, type PackageName, readManifest } from '../../release/packages.ts'
import { makeTarballs } from '../../release/packing/tarballs.ts'
import { publintProblems, typeProblems } from './problems.ts'

/** The packages with an API. */
const LIBRARIES = PACKAGES.filter((name) => name !== 'cli')

const folder = new TemporaryFolder()
const tarball = (name: PackageName) => join(folder.path, 'tarballs', `${name}.tgz`)
const unpacked = (name: PackageName) => join(folder.path, name, 'package')

beforeAll(async () => {
  await makeTarballs(join(folder.path, 'tarballs'))
  for (const name of PACKAGES) unpack(tarball(name), join(folder.path, name))
})

afterAll(() => folder[Symbol.dispose]())

describe('the published tarball', () => {
  test.for(PACKAGES)('of %s passes publint', async (name) => {
    expect(await publintProblems(tarball(name))).toEqual([])
  })

  test.for(LIBRARIES)('of %s passes attw', async (name) => {
    expect(await typeProblems(tarball(name))).toEqual([])
  })

  test.for(PACKAGES)('of %s contains only code, README and licence', (name) => {
    const top = readdirSync(unpacked(name)).toSorted()
    const code = { cli: ['bin', 'dist'], server: ['console-site', 'dist', 'docs-site'] }[
      name as string
    ] ?? ['dist']
    expect(top).toEqual(['LICENSE', 'README.md', ...code, 'package.json'])
    const files = filesIn(join(unpacked(name), 'dist'))
    expect(files.length).toBeGreaterThan(5)
    expect(files.filter((file) => !/\.(?:js|d\.ts|sql)$/.test(file))).toEqual([])
    expect(files.filter((file) => file.includes('test/'))).toEqual([])
  })

  test('of server contains the pages at /docs', () => {
    const pages = filesIn(join(unpacked('server'), 'docs-site'))
    expect(pages).toEqual(expect.arrayContaining(['index.html', 'guides/receivers.html']))
  })

  test("of server contains the console's files", () => {
    const files = filesIn(join(unpacked('server'), 'console-site'))
    expect(files).toContain('index.html')
    expect(files.some((file) => /^assets\/.*\.js\.gz$/.test(file))).toBe(true)
  })

  test.for(PACKAGES)('of %s refers only to files that it contains', (name) => {
    const manifest = readManifest(unpacked(name))
    const files = new Set(filesIn(unpacked(name)).map((file) => `./${file}`))
    const named = Object.values(manifest.exports ?? {}).flatMap((targets) => Object.values(targets))
    expect(named.filter((file) => !files.has(file))).toEqual([])
    expect(JSON.stringify(manifest)).not.toMatch(/hookline-source|prepack/)
  })

  test.for(PACKAGES)('of %s contains no references to source maps', (name) => {
    const code = filesIn(unpacked(name)).filter((file) => file.endsWith('.js'))
    const texts = code.map((file) => readFileSync(join(unpacked(name), file), 'utf8'))
    expect(texts.filter((text) => text.includes('sourceMappingURL'))).toEqual([])
  })

  test.for(PACKAGES)('of %s has a README without links to missing files', (name) => {
    const readme = readFileSync(join(unpacked(name), 'README.md'), 'utf8')
    expect(readme.split('\n', 1)[0]).toContain(`@hookline/${name}`)
    expect(readme).not.toMatch(/\]\(\.\.?\//)
  })

  test.for(PACKAGES)('of %s describes itself, and is public', (name) => {
    const manifest = readManifest(unpacked(name)) as Manifest & Record<string, unknown>
    expect(manifest).toMatchObject({
      description: expect.stringMatching(/\w/),
      keywords: expect.arrayContaining(['analytics']),
      license: 'Apache-2.0',
      engines: { node: ['client', 'protocol'].includes(name) ? '>=20' : '>=24' },
      publishConfig: { access: 'public' },
    })
  })

  test('with a missing file fails both checks', async () => {
    const manifest = join(unpacked('client'), 'package.json')
    const before = readFileSync(manifest, 'utf8')
    writeFileSync(manifest, before.replaceAll('dist/verify', 'dist/missing'))
    const broken = join(folder.path, 'broken.tgz')
    execFileSync('tar', ['-czf', broken, '-C', join(folder.path, 'client'), 'package'])
    writeFileSync(manifest, before)
    expect(await publintProblems(broken)).toEqual([
      expect.stringContaining('dist/missing.js but the file does not exist'),
    ])
    expect(await typeProblems(broken)).toEqual([expect.stringContaining('Resolution failed')])
  })
})

function unpack(file: string, to: string): void {
  mkdirSync(to)
  execFileSync('tar', ['-xzf', file, '-C', to])
}

function filesIn(path: string): string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))
}
