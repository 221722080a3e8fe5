import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '@hookline/testing/run/eventually'
import { freePort } from '@hookline/testing/network/free-port'
import { exchange } from '@hookline/testing/network/http-exchange'
import { readRepositoryFile } from '@hookline/testing/repository'
import { BuiltImage } from './image/built-image.ts'
import { Container } from './image/container.ts'
import { needPrograms, needRoot, outputOf } from './programs.ts'

const MAX_MEBIBYTES = 60

test('the image runs read-only as an unprivileged user, is healthy, and exits with 0 on SIGTERM', async (context) => {
  needRoot(context)
  needPrograms(context, 'buildah', 'npm')
  const image = await BuiltImage.build()
  onTestFinished(() => image[Symbol.dispose]())
  expectSmall(image.root)
  await expectService(image)
})

/** Expects that the image contains only the files that Hookline needs to run. */
function expectSmall(root: string): void {
  const folder = join(root, 'opt/hookline')
  const kilobytes = Number(outputOf('du', ['-sk', folder]).split('\t')[0])
  console.log(`Hookline needs ${Math.round(kilobytes / 1024)} MiB of the image.`)
  expect(kilobytes).toBeLessThan(MAX_MEBIBYTES * 1024)
  const packages = readdirSync(join(folder, 'node_modules'))
  expect(packages).toContain('fastify')
  expect(packages.filter((name) => /^(?:typescript|vitest|@types)$/.test(name))).toEqual([])
  const parts = readdirSync(join(folder, 'packages/server'))
  expect(parts.toSorted()).toEqual(['console-site', 'dist', 'docs-site', 'package.json'])
}

async function expectService(image: BuiltImage): Promise<void> {
  const { config } = image
  expect(Object.keys(config.ExposedPorts)).toEqual(['4800/tcp'])
  expect(Object.keys(config.Volumes)).toEqual(['/data'])
  const [port, adminPort] = [String(await freePort()), String(await freePort())]
  await using container = new Container(image, {
    HOOKLINE_PORT: port,
    HOOKLINE_ADMIN_PORT: adminPort,
    HOOKLINE_URL: `http://127.0.0.1:${adminPort}`,
  })
  const [, ...healthcheck] = config.Healthcheck.Test
  await eventually(() => container.exec(...healthcheck), 100)
  expect(() => container.exec('env', 'HOOKLINE_ADMIN_PORT=1', ...healthcheck)).toThrow()
  expect(container.status).toMatch(/^Uid:\t1000\t1000\t1000\t1000$/m)
  expect(container.status).toMatch(/^NSpid:\t\d+\t1$/m)
  const source = JSON.parse(container.exec('hookline', 'sources', 'create', 'Shop', '--json'))
  const sent = await exchange(`http://127.0.0.1:${port}/v1/track`, {
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ writeKey: keyOf(source), userId: 'u1', event: 'Order Completed' }),
  })
  expect(sent.status, sent.text).toBe(200)
  const admin = await exchange(`http://127.0.0.1:${port}/api/v1/sources`, { method: 'GET' })
  expect(admin.status).toBe(404)
  const consolePage = await exchange(`http://127.0.0.1:${adminPort}/console/`, { method: 'GET' })
  expect([consolePage.status, consolePage.text]).toEqual([200, expect.stringContaining('assets/')])
  const docs = await exchange(`http://127.0.0.1:${adminPort}/docs`, { method: 'GET' })
  expect(docs.status).toBe(200)
  expect(docs.text).toMatch(/<title>.*Hookline<\/title>/)
  expect(() => container.exec('sh', '-c', 'echo no > /opt/hookline/file')).toThrow('Read-only')
  expect(await container.stop(), container.stderr).toBe(0)
  expect(container.stderr).toContain('service.stopped')
}

function keyOf(source: { readonly writeKeys: readonly { readonly key: string }[] }): string {
  return source.writeKeys[0]!.key
}

test('the image has the Node version that the project is tested with', () => {
  const { devDependencies } = JSON.parse(readRepositoryFile('package.json')) as {
    readonly devDependencies: { readonly node: string }
  }
  const [, base] = /^ARG NODE_IMAGE=(.*)$/m.exec(readRepositoryFile('deploy/Dockerfile'))!
  expect(base).toBe(`docker.io/library/node:${devDependencies.node}-slim`)
})

test('hadolint accepts the Dockerfile', (context) => {
  needPrograms(context, 'hadolint')
  expect(outputOf('hadolint', ['deploy/Dockerfile'])).toBe('')
})
