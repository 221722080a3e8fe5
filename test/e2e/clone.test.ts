import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { ServiceProcess } from '@hookline/testing/service/service-process'
import { freePort } from '@hookline/testing/network/free-port'
import { ManagementApi } from '@hookline/testing/service/management-api'

test('in a clone, every thread of the service runs from source, even if a build exists', async () => {
  using dataDir = new TemporaryFolder()
  using coverage = new TemporaryFolder()
  const settings = { HOOKLINE_ADMIN_TOKEN: 'tok_clone', NODE_V8_COVERAGE: coverage.path }
  const service = new ServiceProcess({ port: await freePort(), dataDir: dataDir.path, settings })
  expect(await service.ready(), service.stderr).toBe(true)
  // Listing starts a reader thread.
  await new ManagementApi(service.url, 'tok_clone').call('GET', 'events')
  expect(await service.stop(), service.stderr).toBe(0)

  const files = readdirSync(coverage.path).map((name) => join(coverage.path, name))
  const loaded = files.flatMap((file) => {
    const { result } = JSON.parse(readFileSync(file, 'utf8')) as { result: { url: string }[] }
    return result.map(({ url }) => url)
  })
  for (const thread of ['writer', 'reader'])
    expect(loaded).toContainEqual(expect.stringMatching(`/${thread}-thread.ts$`))
  expect(loaded.filter((url) => /\/packages\/\w+\/dist\//.test(url))).toEqual([])
})
