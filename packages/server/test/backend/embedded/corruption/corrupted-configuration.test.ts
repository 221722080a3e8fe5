import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { adminTokenOf } from '../../../../src/admin-token.ts'
import { type EmbeddedOptions, openEmbeddedBackend } from '../../../../src/backend/embedded/open.ts'
import { newDestination, newSource } from '@hookline/testing/records/catalog-records'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

async function idsIn(dataDir: string, options: Partial<EmbeddedOptions> = {}): Promise<string[]> {
  await using backend = await openEmbeddedBackend({ dataDir, maxWaitingBytes: 2 ** 30, ...options })
  const { sources, destinations } = backend.catalog.current
  return [...sources.keys(), ...destinations.keys()]
}

async function fill(dataDir: string): Promise<DatabaseSync> {
  {
    await using backend = await openEmbeddedBackend({ dataDir, maxWaitingBytes: 2 ** 30 })
    await backend.catalog.putSource(newSource())
    await backend.catalog.putDestination(newDestination())
  }
  return new DatabaseSync(join(dataDir, 'hookline.db'))
}

const acceptOf = (error: unknown): number =>
  Number(/--accept-loss (\d+)/.exec((error as Error).message)![1])

test.each([
  ['is invalid JSON', `document = replace(document, '"', char(1))`],
  [
    'has modified encrypted settings',
    `settings = substr(settings, 1, length(settings) - 4) || 'AAAA'`,
  ],
] as const)(
  'the start is refused until the loss of a destination that %s is accepted',
  async (_, change) => {
    using folder = new TemporaryFolder()
    {
      using db = await fill(folder.path)
      db.exec(`UPDATE catalog SET ${change} WHERE kind = 'destination'`)
    }
    const refused = await idsIn(folder.path).catch((error: unknown) => error)
    expect((refused as Error).message).toContain(
      'The destination dst_a in the database is corrupted.',
    )
    const reported: string[] = []
    const accepted = {
      acceptLoss: acceptOf(refused),
      onCorruption: (text: string) => void reported.push(text),
    }
    expect(await idsIn(folder.path, accepted)).toEqual(['src_a'])
    expect(reported).toEqual(['The destination dst_a in the database is corrupted.'])
    expect(await idsIn(folder.path)).toEqual(['src_a'])
  },
)

test('an admin token with bytes that are invalid in a header is refused', () => {
  using folder = new TemporaryFolder()
  mkdirSync(folder.path, { recursive: true })
  writeFileSync(join(folder.path, 'admin-token'), 'tok_\0\0\0\0abc')
  const config = { adminToken: undefined, dataDir: folder.path }
  expect(() => adminTokenOf(config)).toThrow(/admin-token does not contain a valid token/)
})
