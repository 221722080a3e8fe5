import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import type { PackageName } from '../../release/packages.ts'
import { publish } from '../../release/publishing/publish.ts'
import type { Tarball } from '../../release/packing/tarballs.ts'

const version = '1.2.3'

describe('npm publish of tarballs', () => {
  const folder = new TemporaryFolder()
  const tarballs = [small('protocol'), small('client')]
  afterAll(() => folder[Symbol.dispose]())

  test('publishes one after another, with public access', async () => {
    const registry = await openRegistry(folder.path)
    await publish(tarballs, version)
    expect(registry.published).toMatchObject([
      { name: '@hookline/protocol', access: 'public' },
      { name: '@hookline/client', access: 'public' },
    ])
  })

  test('continues an interrupted release with the packages that are not published yet', async () => {
    const registry = await openRegistry(folder.path, { existing: tarballs[0]!.file })
    await publish(tarballs, version)
    expect(registry.published).toMatchObject([{ name: '@hookline/client' }])
  })

  test('stops if a different build of the version is published', async () => {
    const registry = await openRegistry(folder.path, { existing: tarballs[1]!.file })
    await expect(publish(tarballs, version)).rejects.toThrow('was published from a different build')
    expect(registry.published).toEqual([])
  })

  test('stops at the first package that the registry refuses', async () => {
    const registry = await openRegistry(folder.path, { refused: '@hookline/protocol' })
    await expect(publish(tarballs, version)).rejects.toThrow(/npm publish .*l\.tgz exited with 1/)
    expect(registry.published).toEqual([])
  })

  /** A package without code, because the real ones would have to be built. */
  function small(name: PackageName): Tarball {
    const manifest = { name: `@hookline/${name}`, version, publishConfig: { access: 'public' } }
    const file = join(folder.path, `${name}.tgz`)
    mkdirSync(join(folder.path, name, 'package'), { recursive: true })
    writeFileSync(join(folder.path, name, 'package/package.json'), JSON.stringify(manifest))
    execFileSync('tar', ['-czf', file, '-C', join(folder.path, name), 'package'])
    return { name, file, entries: ['package.json'], bytes: 0 }
  }
})

interface Published {
  readonly name: string
  readonly access: string
}

/** A registry on loopback that npm uses until the test ends. */
async function openRegistry(
  folder: string,
  /** `existing` is a tarball that the registry already has. */
  { existing, refused }: { existing?: string; refused?: string } = {},
): Promise<{ readonly published: readonly Published[] }> {
  const published: Published[] = []
  const server = createServer(async (request, response) => {
    const name = decodeURIComponent(request.url!.split('?')[0]!.slice(1))
    const reply = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (request.method === 'GET') {
      const isKnown = existing !== undefined && name === '@hookline/protocol'
      reply(isKnown ? 200 : 404, isKnown ? packument(name, existing) : {})
    } else if (name === refused) {
      reply(403, { error: 'You may not publish this package.' })
    } else {
      published.push(await bodyOf(request))
      reply(201, {})
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  useRegistry((server.address() as AddressInfo).port, folder)
  return { published }
}

function useRegistry(port: number, folder: string): void {
  const userconfig = join(folder, 'npmrc')
  writeFileSync(userconfig, `//127.0.0.1:${port}/:_authToken=token-of-the-test\n`)
  onTestFinished(() => void vi.unstubAllEnvs())
  for (const name of ['npm_config_registry', 'NPM_CONFIG_REGISTRY'])
    vi.stubEnv(name, `http://127.0.0.1:${port}/`)
  vi.stubEnv('npm_config_userconfig', userconfig)
  vi.stubEnv('npm_config_cache', join(folder, 'cache'))
}

function packument(name: string, file: string): object {
  const integrity = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`
  const dist = { tarball: 'http://127.0.0.1/unused.tgz', integrity }
  return {
    name,
    'dist-tags': { latest: version },
    versions: { [version]: { name, version, dist } },
  }
}

async function bodyOf(request: IncomingMessage): Promise<Published> {
  const chunks = (await request.toArray()) as Buffer[]
  return JSON.parse(Buffer.concat(chunks).toString()) as Published
}
