import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { ApiService } from '@hookline/testing/cli/api-service'

let service: ApiService
beforeAll(async () => {
  service = await ApiService.start()
})
afterAll(() => service[Symbol.asyncDispose]())

let folder: TemporaryFolder
beforeEach(() => {
  folder = new TemporaryFolder()
})
afterEach(() => folder[Symbol.dispose]())

describe('hookline export and import-config', () => {
  it('export a document without secrets, and show what importing it would change', async () => {
    const { source } = await service.failingDestination()
    const file = join(folder.path, 'configuration.json')
    await service.json('export', file)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const text = readFileSync(file, 'utf8')
    expect(text).not.toContain('planted')
    writeFileSync(file, text.replace('"Shop"', '"Store"'))
    const dry = await service.run('import-config', file, '--dry-run')
    expect(dry.stdout).toMatch(/^~ src_\S+: name$/m)
    expect(await service.json('import-config', file)).toMatchObject({ dryRun: false })
    const sources = await service.json<{ data: { id: string; name: string }[] }>('sources', 'list')
    expect(sources.data.map(({ name }) => name)).toContain('Store')
    expect(sources.data.map(({ id }) => id)).toContain(source)
    expect(JSON.parse((await service.run('export', '-')).stdout)).toEqual(
      JSON.parse((await service.run('export')).stdout),
    )
    expect((await service.run('export', '--with-secrets')).stdout).toContain(
      'planted shared secret',
    )
  })

  it('refuse an invalid document, without quoting it', async () => {
    const file = join(folder.path, 'other.txt')
    writeFileSync(file, 'planted text')
    const { code, stderr } = await service.run('import-config', file)
    expect([code, stderr.includes('planted')]).toEqual([2, false])
  })
})
