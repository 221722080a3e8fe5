import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { RejectedFile } from '../../src/import/rejected-file.ts'
import { ListImporter, type ListMode } from '../../src/user-list/list-importer.ts'
import { userParser } from '../../src/user-list/parse-user-line.ts'

interface ListChange {
  readonly add?: readonly string[]
  readonly remove?: readonly string[]
}

const running = new AbortController().signal

/** Imports a file into a list with these users, and resolves to the requests. */
async function imported(
  text: string | Buffer,
  {
    mode = 'add',
    list = [],
    signal = running,
  }: { mode?: ListMode; list?: string[]; signal?: AbortSignal } = {},
) {
  using folder = new TemporaryFolder()
  const path = join(folder.path, 'users.csv')
  const rejected = join(folder.path, 'rejected')
  await writeFile(path, text)
  const changes: ListChange[] = []
  await using rejectedFile = await RejectedFile.open(rejected, 0)
  const importer = new ListImporter({
    path,
    totalBytes: Buffer.byteLength(text),
    parse: userParser(path),
    mode,
    rejectedFile,
    change: async (change) => void changes.push(change),
    async *listed() {
      yield list
    },
  })
  const isComplete = await importer.run(signal)
  const lines = await readFile(rejected, 'utf8').catch(() => '')
  return { changes, isComplete, lines, importer }
}

it('sends users in batches of at most 5,000', async () => {
  const users = Array.from({ length: 12_000 }, (_, index) => `u${index}`)
  const { changes, importer } = await imported(['userId', ...users].join('\n'))
  expect(changes.map(({ add }) => add!.length)).toEqual([5_000, 5_000, 2_000])
  expect(changes.flatMap(({ add }) => add)).toEqual(users)
  expect(importer.counts).toEqual({ users: 12_000, removed: 0 })
  expect(importer.progress).toMatchObject({ lines: 12_001, rejected: 0 })
})

it('sends smaller batches of long userIds, so that a body stays below 1 MiB', async () => {
  const users = Array.from({ length: 1_000 }, (_, index) => `${index}`.padEnd(1_000, '中'))
  const { changes } = await imported(users.join('\n'))
  for (const change of changes) {
    expect(Buffer.byteLength(JSON.stringify(change))).toBeLessThan(1024 * 1024)
  }
  expect(changes.flatMap(({ add }) => add)).toHaveLength(1_000)
})

it('replaces a list: users who are not in the file are removed', async () => {
  const { changes, importer } = await imported('u1\nu2', { mode: 'replace', list: ['u2', 'u3'] })
  expect(changes).toEqual([{ add: ['u1', 'u2'] }, { remove: ['u3'] }])
  expect(importer.counts).toEqual({ users: 2, removed: 1 })
})

it('removes no one if a line is invalid: it may name a listed user', async () => {
  const { changes, lines } = await imported('u1\n"u3', { mode: 'replace', list: ['u3'] })
  expect(changes).toEqual([{ add: ['u1'] }])
  expect(JSON.parse(lines)).toMatchObject({ lineNumber: 2, code: 'invalid_csv', line: '"u3' })
})

const LATIN_1 = 'latin1'
const swapped = (text: string) => Buffer.from(text, 'utf16le').swap16()

it.each<[form: string, file: Buffer, added: string[], codes: string[]]>([
  ['CRLF and a byte order mark', Buffer.from('\ufeffuserId\r\nu1\r\nu2\r\n'), ['u1', 'u2'], []],
  ['tabs', Buffer.from('name\tuserId\nAda\tu1\n'), ['u1'], []],
  ['CR alone', Buffer.from('userId\ru1\ru2\r'), [], ['not_csv']],
  [
    'Latin-1',
    Buffer.from('pr\xe9nom;userId\nJos\xe9;u1\nBo;Jos\xe9\nCy;Jos\xe8\n', LATIN_1),
    ['u1'],
    ['id_not_unicode', 'id_not_unicode'],
  ],
  [
    'UTF-16',
    Buffer.from('\ufeffuserId\tname\r\nu1\tAda\r\n中\t文\r\n', 'utf16le'),
    [],
    Array(4).fill('not_csv') as string[],
  ],
  [
    'UTF-16 without a byte order mark',
    Buffer.from('userId\nu1\n', 'utf16le'),
    [],
    Array(3).fill('not_csv') as string[],
  ],
  ['UTF-16, big-endian', swapped('\ufeffuserId\nu1\n'), [], Array(2).fill('not_csv') as string[]],
  ['UTF-16, one line', Buffer.from('\ufeff中文', 'utf16le'), [], ['id_not_unicode']],
])(
  'reads a file in %s, or rejects its lines with the reason',
  async (_form, file, added, codes) => {
    const { changes, lines, importer } = await imported(file)
    expect(changes.flatMap(({ add = [] }) => add)).toEqual(added)
    const found = lines.split('\n').filter(Boolean)
    expect(found.map((line) => (JSON.parse(line) as { code: string }).code)).toEqual(codes)
    expect(importer.progress.rejected).toBe(codes.length)
  },
)

it('removes the users in a file', async () => {
  expect((await imported('u1', { mode: 'remove' })).changes).toEqual([{ remove: ['u1'] }])
})

it('stops when it is interrupted', async () => {
  const { changes, isComplete } = await imported('u1\nu2', { signal: AbortSignal.abort() })
  expect([changes, isComplete]).toEqual([[], false])
})
